import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue } from './support/create-queue.ts';
import { runSoak, type SoakSample } from './support/soak.ts';

/** `WORKER_SOAK_SECONDS=600 npm run lab:real -- worker-soak` for ten minutes. */
const SECONDS = Number(process.env['WORKER_SOAK_SECONDS'] ?? 60);
const SAMPLES = 12;
/** A worker that kept but a hundred bytes of each message would grow by more. */
const MOST_GROWTH_BYTES = 2 * 2 ** 20;
const MEGABYTE = 2 ** 20;

describeWith([elasticMQ], 'a worker at full speed', () => {
  let queues: LocalService;
  let database: LocalService;
  let sqs: SQS;
  let dynamoDB: DynamoDBClient;
  beforeAll(async () => {
    [queues, database] = await Promise.all([startElasticMQ(), startDynamoDBEmulator('dynoxide')]);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
    dynamoDB = emulatorClient(database.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    sqs.destroy();
    dynamoDB.destroy();
    await Promise.all([queues.stop(), database.stop()]);
  });

  it(
    `keeps nothing of the messages that it has done, for ${SECONDS} seconds`,
    async () => {
      const { queueUrl } = await createQueue(sqs, { visibilityTimeoutSeconds: 30 });
      const samples = await runSoak({
        queueUrl,
        tableName: await createClaimsTable(dynamoDB),
        sqsEndpoint: queues.endpoint,
        dynamoDBEndpoint: database.endpoint,
        program: await bundleProgram('soaking-worker'),
        seconds: SECONDS,
        everySeconds: SECONDS / SAMPLES,
        onSample: tell,
      });
      expect(samples.at(-1)?.messages).toBeGreaterThan(SECONDS * 20);
      // The first quarter fills caches and compiles code.
      const early = leastHeap(samples.slice(SAMPLES / 4, SAMPLES / 2));
      const late = leastHeap(samples.slice(-SAMPLES / 4));
      expect(late - early).toBeLessThan(MOST_GROWTH_BYTES);
    },
    SECONDS * 1_000 + 60_000,
  );
});

/** What is under way is in none of them by chance. */
function leastHeap(samples: readonly SoakSample[]): number {
  return Math.min(...samples.map(({ heapBytes }) => heapBytes));
}

function tell({ seconds, messages, heapBytes, rssBytes }: SoakSample): void {
  const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);
  process.stderr.write(
    `${seconds} s: ${messages} messages, heap ${megabytes(heapBytes)} MB, RSS ${megabytes(rssBytes)} MB\n`,
  );
}
