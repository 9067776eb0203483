import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createBatchProcessor, PermanentError } from 'batchlatch';
import { claimsTableDefinition, dynamoDBStore } from 'batchlatch/dynamodb';
import { sqsEvent } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';

const BIN = fileURLToPath(new URL('../../packages/cli/src/cli/batchlatch.ts', import.meta.url));

/** As somebody has it who has configured nothing. */
const BARE = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  AWS_CONFIG_FILE: '/nonexistent',
  AWS_EC2_METADATA_DISABLED: 'true',
};

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', BIN, ...args], { env: { ...BARE, ...env } });
}

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const texts = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...texts };
}

describe('The process batchlatch', () => {
  const table = emulatedTable('dynoxide');
  const onTable = (): NodeJS.ProcessEnv => ({
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    CLAIMS_TABLE_NAME: table.tableName,
  });
  beforeAll(async () => {
    const { timeToLive } = claimsTableDefinition(table.tableName);
    await table.newClient().send(new UpdateTimeToLiveCommand(timeToLive));
  });

  it('gets a parked order to run again', async () => {
    let isBroken = true;
    const charged: string[] = [];
    const handler = createBatchProcessor<{ orderId: string }>(
      ({ body }) => {
        if (isBroken) throw new PermanentError('no such customer');
        charged.push(body.orderId);
      },
      {
        store: dynamoDBStore({ tableName: table.tableName, client: table.newClient() }),
        key: ({ body }) => body.orderId,
        namespace: 'orders',
        observer: { onEvent: () => {} },
      },
    );
    const event = sqsEvent([{ body: { orderId: 'o-1042' } }]);
    await handler(event);
    isBroken = false;
    await handler(event);
    expect(charged).toEqual([]); // it is parked

    const list = await endOf(start(['claims', 'list', '--state', 'parked', '--json'], onTable()));
    const { claims } = JSON.parse(list.out) as { claims: { key: string; status: string }[] };
    expect(claims).toMatchObject([{ status: 'PARKED', attempt: 1, error: { name: 'PermanentError' } }]);
    const [{ key } = { key: '' }] = claims;
    const release = await endOf(
      start(['claims', 'release', key, '--reason', 'fixed in 1.4', '--yes'], onTable()),
    );
    expect(release).toEqual({ status: 0, out: `Released ${key}\n`, err: '' });

    await handler(event);
    expect(charged).toEqual(['o-1042']);
  });

  it('ends with 130 when Ctrl-C stops it, without a word', async () => {
    const child = start(['claims', 'list', '--watch', '--json'], onTable());
    const ended = endOf(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130, err: '' });
  });

  it('ends quietly when nobody reads on', async () => {
    const child = start(['claims', 'list', '--watch', '1', '--json'], onTable());
    const ended = once(child, 'exit') as Promise<[number | null]>;
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.stdout?.destroy();
    expect((await ended)[0]).toBe(0);
    expect(err).toBe('');
  });

  it('ends with its own status when nobody reads its errors', async () => {
    const child = start(['claims', 'list', '--table', 'claims']);
    child.stderr?.destroy();
    expect((await once(child, 'exit'))[0]).toBe(1);
  });

  it.each([
    ['a region', {}, /^Error: No AWS region is configured: add --region REGION, or set AWS_REGION\.\n$/],
    ['a region, with an empty variable', { AWS_REGION: '' }, /^Error: No AWS region is configured: .*\n$/],
    [
      'credentials',
      { AWS_REGION: 'eu-west-1' },
      /^Error: No AWS credentials were found: .*aws sso login.*\n$/,
    ],
  ])('says in one line that it lacks %s', async (_what, env, line) => {
    const { status, out, err } = await endOf(start(['claims', 'list', '--table', 'claims'], env));
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(line);
  });

  it('says in one line that there is no such table', async () => {
    const env = { ...onTable(), CLAIMS_TABLE_NAME: 'no-such-table' };
    expect(await endOf(start(['claims', 'list'], env))).toEqual({
      status: 1,
      out: '',
      err: 'Error: There is no such table in this account and region: check --table, --region and --profile, and --endpoint-url if there is one.\n',
    });
  });
});
