import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { emulatorEnvironment } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import type { PaymentsServerMessage, PaymentsServerSetup } from '../support/payments-server.ts';
import { until } from '../support/until.ts';

const LEASE_MS = 2_000;

describe('a server that is killed in the middle of a request', () => {
  const table = emulatedTable('dynoxide');
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('leaves its key to another server, which runs the request when the lease has lapsed, and once', async () => {
    const { send, charges, kill } = await serversWith('rerun');
    const unanswered = send('doomed', 'a').then(
      () => 'an answer',
      () => 'none',
    );
    await until('the doomed server charges', () => charges.length === 1);
    expect((await send('survivor', 'a')).status).toBe(409);
    await kill();
    expect(await unanswered).toBe('none');

    const refused = await send('survivor', 'a');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      409,
      expect.stringMatching(/^[12]$/),
    ]);
    let answer = refused;
    await until('the lease has lapsed', async () => {
      answer = await send('survivor', 'a');
      return answer.status !== 409;
    });
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([201, null]);
    const replay = await send('survivor', 'a');
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    // The charge of the process that died, and one more: without a person in between nobody can know better.
    expect(charges).toEqual(['doomed a', 'survivor a']);
  });

  it("leaves it to a person with onLapsedLease: 'park'", async () => {
    const { send, charges, kill } = await serversWith('park');
    void send('doomed', 'b').catch(() => undefined);
    await until('the doomed server charges', () => charges.length === 1);
    await kill();
    let answer = await send('survivor', 'b');
    await until('the lease has lapsed', async () => {
      answer = await send('survivor', 'b');
      return answer.headers.get('retry-after') === null;
    });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ type: 'urn:problem-type:batchlatch:outcome-unknown' });
    expect(charges).toEqual(['doomed b']);
  });

  async function serversWith(onLapsedLease: PaymentsServerSetup['onLapsedLease']): Promise<{
    send: (server: 'doomed' | 'survivor', key: string) => Promise<Response>;
    charges: string[];
    kill: () => Promise<void>;
  }> {
    const charges: string[] = [];
    const ports: Record<string, number> = {};
    const start = (name: string, hangs: boolean): ChildProcess => {
      const child = startServer({ hangs, leaseMs: LEASE_MS, onLapsedLease });
      child.on('message', (message: PaymentsServerMessage) => {
        if ('port' in message) ports[name] = message.port;
        else charges.push(`${name} ${message.charged}`);
      });
      return child;
    };
    const doomed = start('doomed', true);
    start('survivor', false);
    await until('both servers listen', () => Object.keys(ports).length === 2);
    return {
      charges,
      send: (server, key) =>
        fetch(`http://127.0.0.1:${ports[server]}/payments`, {
          method: 'POST',
          headers: { 'idempotency-key': key, 'content-type': 'application/json' },
          body: JSON.stringify({ orderId: key }),
        }),
      async kill() {
        const gone = once(doomed, 'exit');
        doomed.kill('SIGKILL');
        expect(await gone).toEqual([null, 'SIGKILL']);
      },
    };
  }

  function startServer(setup: PaymentsServerSetup): ChildProcess {
    const child = fork(
      fileURLToPath(new URL('../support/payments-server.ts', import.meta.url)),
      [JSON.stringify(setup)],
      {
        execArgv: ['--import', 'tsx'],
        env: {
          ...process.env,
          ...emulatorEnvironment,
          AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
          CLAIMS_TABLE_NAME: table.tableName,
        },
      },
    );
    children.push(child);
    return child;
  }
});
