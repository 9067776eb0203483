import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import { emulatorClient } from '../support/claims-table.ts';
import { until } from '../support/until.ts';

describe('A script of the examples', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** As in a terminal: nobody has silenced the SDK or named a region. */
  function start(script: string, ...args: string[]) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return { child, stderr: text(child.stderr), closed: once(child, 'close') };
  }

  it('local-dynamodb.ts serves the two tables on the port that it is given, until it is interrupted', async () => {
    const port = await freePort();
    const { child, stderr, closed } = start('examples/orders/local-dynamodb.ts', String(port));
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
    await until('it listens', () => printed.includes('listens on'), 30_000);
    const endpoint = `http://127.0.0.1:${port}`;
    expect(printed).toContain(endpoint);
    const client = emulatorClient(endpoint);
    expect(await client.send(new ListTablesCommand())).toMatchObject({ TableNames: ['charges', 'claims'] });
    client.destroy();

    child.kill('SIGINT');
    expect(await closed).toEqual([0, null]);
    await expect(fetch(endpoint)).rejects.toThrow('fetch failed');
    expect(await stderr).toBe('');
  });

  it('run-local.ts of the ledger books every transfer once', async () => {
    const { child, stderr, closed } = start('examples/ledger/run-local.ts');
    const printed = await text(child.stdout);
    expect(await closed).toEqual([0, null]);
    expect(printed.match(/posting#t1/g)).toHaveLength(2);
    expect(printed.match(/rejected#t3/g)).toHaveLength(1);
    expect(await stderr).toBe('');
  });
});
