import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import { atPace, type SqsProxy, startSqsProxy } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue } from './support/create-queue.ts';
import { runFolder } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';

/** Hidden for a minute by the worker, for five seconds by the queue: what a dead process held comes again soon. */
const PACE = 12;
const MESSAGES = 60;

describeWith([elasticMQ], 'batchlatch work with two processes', () => {
  let queues: LocalService;
  let proxy: SqsProxy;
  let database: LocalService;
  let sqs: SQS;
  let module: string;
  beforeAll(async () => {
    [queues, database, module] = await Promise.all([
      startElasticMQ(),
      startDynamoDBEmulator('dynoxide'),
      bundleProgram('noting-handler'),
    ]);
    proxy = await startSqsProxy(queues.endpoint);
    proxy.interpose(atPace(PACE, (_call, ask) => ask()));
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    sqs.destroy();
    await proxy.stop();
    await Promise.all([queues.stop(), database.stop()]);
  });

  it('loses nothing and does nothing twice when one is killed while its handlers run', async () => {
    const dynamoDB = emulatorClient(database.endpoint);
    const tableName = await createClaimsTable(dynamoDB);
    dynamoDB.destroy();
    const { queueUrl } = await createQueue(sqs, { visibilityTimeoutSeconds: 30, maxReceiveCount: 10 });
    const notes = path.join(runFolder(), `${tableName}.notes`);
    const port = await freePort();
    const work = spawn(
      process.execPath,
      [
        'packages/cli/dist/cli/batchlatch.js',
        'work',
        module,
        '--processes=2',
        '--max-in-flight=20',
        '--wait-time-seconds=1',
        `--queue-url=${proxy.through(queueUrl)}`,
        `--health-port=${port}`,
      ],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...emulatorEnvironment,
          PATH: process.env['PATH'],
          AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
          CLAIMS_TABLE_NAME: tableName,
          NOTES_FILE: notes,
        },
      },
    );
    const exit = once(work, 'exit');
    const get = (to: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${to}`);
    const noted = async (what: string): Promise<{ id: string; pid: number }[]> => {
      const lines = (await readFile(notes, 'utf8').catch(() => ''))
        .split('\n')
        .map((line) => line.split(' '));
      return lines.flatMap(([name, id = '', pid]) => (name === what ? [{ id, pid: Number(pid) }] : []));
    };
    await until('both are ready', async () => (await get('/ready').catch(() => undefined))?.status === 200);
    const { processes } = (await (await get('/')).json()) as { processes: { pid: number }[] };
    const victim = processes[0]?.pid ?? 0;
    const ids = Array.from({ length: MESSAGES }, (_, index) => `message-${index}`);
    await sendMessages(
      sqs,
      queueUrl,
      ids.map((id) => ({ body: JSON.stringify({ id, ms: 1_000 }) })),
    );
    await until('it runs handlers', async () => (await noted('start')).some(({ pid }) => pid === victim));
    process.kill(victim, 'SIGKILL');

    await until('all is done', async () => (await noted('effect')).length >= MESSAGES);
    work.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const effects = await noted('effect');
    expect(effects.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const doneByVictim = new Set(effects.flatMap(({ id, pid }) => (pid === victim ? [id] : [])));
    const starts = await noted('start');
    const brokenOff = new Set(
      starts.flatMap(({ id, pid }) => (pid === victim && !doneByVictim.has(id) ? [id] : [])),
    );
    expect(brokenOff.size).toBeGreaterThan(0);
    expect(starts.length).toBe(MESSAGES + brokenOff.size); // what was broken off ran again, and nothing else
  });
});
