import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import type { Fault } from '../../test/support/killed-worker.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { type DrillReport, runKillDrill } from './support/kill-drill.ts';

/** `WORKER_KILL_SEEDS=20 npm run lab:real -- worker-kills` for more. */
const SEEDS = Number(process.env['WORKER_KILL_SEEDS'] ?? 3);
/** Drills at a time: each waits for leases half of its time. */
const AT_ONCE = 2;
const MESSAGES = 1_000;
const WORKERS = 4;

describeWith([elasticMQ], `${WORKERS} workers that are killed at random`, () => {
  let queues: LocalService;
  let database: LocalService;
  let sqs: SQS;
  let dynamoDB: DynamoDBClient;
  let program: string;
  beforeAll(async () => {
    [queues, database, program] = await Promise.all([
      startElasticMQ(),
      startDynamoDBEmulator('dynoxide'),
      bundleProgram('killed-worker'),
    ]);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
    dynamoDB = emulatorClient(database.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    sqs.destroy();
    dynamoDB.destroy();
    await Promise.all([queues.stop(), database.stop()]);
  });

  const drill = (seed: number, messages: number, fault?: Fault): Promise<DrillReport> =>
    runKillDrill({
      sqs,
      sqsEndpoint: queues.endpoint,
      dynamoDB,
      dynamoDBEndpoint: database.endpoint,
      program,
      seed,
      messages,
      workers: WORKERS,
      ...(fault !== undefined && { fault }),
    });

  it(
    `lose nothing and run nothing again that is completed: ${MESSAGES} messages, ${SEEDS} seeds`,
    async () => {
      const limit = pLimit(AT_ONCE);
      const reports = await Promise.all(
        Array.from({ length: SEEDS }, (_, index) =>
          limit(async () => {
            const report = await drill(index + 1, MESSAGES);
            const { kills, runs, seconds } = report;
            process.stderr.write(
              `seed ${index + 1}: ${kills} kills, ${runs} runs, ${seconds.toFixed(1)} s\n`,
            );
            return { seed: index + 1, ...report };
          }),
        ),
      );
      const wrong = reports.filter(
        ({ lost, runAgain, notDead }) => lost.length + runAgain.length + notDead.length > 0,
      );
      expect(wrong).toEqual([]);
      const total = (figure: (report: DrillReport) => number): number =>
        reports.reduce((sum, report) => sum + figure(report), 0);
      expect(total(({ kills }) => kills)).toBeGreaterThan(SEEDS * 5);
      expect(total(({ runs }) => runs)).toBeGreaterThan(SEEDS * MESSAGES); // what was killed ran again
    },
    SEEDS * 300_000,
  );

  it('are seen to lose messages if they acknowledge before the completion is stored', async () => {
    expect(await seenIn(async (seed) => (await drill(seed, 300, 'acknowledges before it stores')).lost)).toBe(
      true,
    );
  }, 600_000);

  it('are seen to run again what is completed if they take no notice of completions', async () => {
    expect(await seenIn(async (seed) => (await drill(seed, 300, 'runs what is completed')).runAgain)).toBe(
      true,
    );
  }, 600_000);
});

/** Whether a fault shows in one of eight drills: a kill has to come in the short time between two steps. */
async function seenIn(find: (seed: number) => Promise<readonly unknown[]>): Promise<boolean> {
  for (let seed = 1; seed <= 8; seed += 1) if ((await find(seed)).length > 0) return true;
  return false;
}
