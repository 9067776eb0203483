import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { createBatchProcessor } from 'batchlatch';
import { readClaims, readDepth } from '../../local/demo/stored-orders.ts';
import { createClaimsTable } from '../../../test/support/claims-table.ts';
import { pollQueue } from '../../../test/support/poll-queue.ts';
import { storeBy, type TransportName, watchTraffic } from '../../../test/support/transports.ts';
import { createQueue } from './create-queue.ts';
import { sendMessages } from './send-messages.ts';
import { until } from './until.ts';

/** One run of the handler; times are epoch milliseconds. */
export interface Run {
  readonly key: string;
  readonly attempt: number;
  readonly startedAt: number;
  /** As the handler knew it when it ended. */
  readonly leaseUntil: number;
}

/** Messages on their way through a processor whose way to DynamoDB is being disturbed. */
export interface DisturbedJob {
  /** Every run that has ended. */
  readonly runs: readonly Run[];
  /** What was acknowledged although its completion was not stored, looked up past the disturbance. */
  readonly acknowledgedUnstored: readonly string[];
  /** How long each invocation took, in milliseconds. */
  readonly durations: readonly number[];
  /** Requests that got no answer. The transport sends them again by itself. */
  readonly unanswered: number;
  /** Ends that were not stored because the claim was another's. */
  readonly lost: number;
  /** Resolves when the queue is empty and every completion is stored. */
  untilDone(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

export interface DisturbedJobOptions {
  readonly transport: TransportName;
  /** The disturbed way to DynamoDB. */
  readonly endpoint: string;
  readonly sqs: SQSClient;
  /** Goes to DynamoDB directly. */
  readonly dynamoDB: DynamoDBClient;
  readonly messages: number;
  readonly functionTimeoutMs: number;
  /** Default: the processor's. */
  readonly leaseMs?: number;
  /** What the handler does. Default: 20 ms of nothing. */
  readonly work?: () => Promise<unknown>;
}

const VISIBILITY_TIMEOUT_SECONDS = 1;
const WORK_MS = 20;

/** Feeds a processor from a queue. */
export async function startDisturbedJob(options: DisturbedJobOptions): Promise<DisturbedJob> {
  const { transport, endpoint, sqs, dynamoDB, messages, functionTimeoutMs, leaseMs } = options;
  const { work = () => delay(WORK_MS) } = options;
  const tableName = await createClaimsTable(dynamoDB);
  const queue = await createQueue(sqs, { visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS });
  const runs: Run[] = [];
  const acknowledgedUnstored: string[] = [];
  const durations: number[] = [];
  let lost = 0;
  const traffic = watchTraffic();
  const store = storeBy(transport, endpoint, { tableName });
  await store.inspect('to choose its transport');

  const processBatch = createBatchProcessor(
    async ({ id: key }, context) => {
      const { attempt } = context;
      const startedAt = Date.now();
      await work();
      runs.push({ key, attempt, startedAt, leaseUntil: context.leaseUntil });
    },
    {
      store,
      observer: {
        onEvent({ type }) {
          if (type === 'leaseLost') lost += 1;
        },
      },
      ...(leaseMs !== undefined && { leaseMs }),
    },
  );
  await sendMessages(
    sqs,
    queue.queueUrl,
    Array.from({ length: messages }, (_, index) => ({ body: String(index) })),
  );
  const mapping = pollQueue({
    sqs,
    ...queue,
    concurrency: 2,
    timeoutMs: functionTimeoutMs,
    async handler(event, context) {
      const startedAt = performance.now();
      const response = await processBatch(event, context);
      durations.push(performance.now() - startedAt);
      const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const completed = await completedIds();
      for (const { messageId } of event.Records) {
        if (!failed.has(messageId) && !completed.has(messageId)) acknowledgedUnstored.push(messageId);
      }
      return response;
    },
  });

  async function completedIds(): Promise<Set<string>> {
    const claims = await readClaims(dynamoDB, tableName);
    const completed = claims.filter(({ status }) => status === 'COMPLETED');
    return new Set(completed.map(({ key }) => key.slice(key.lastIndexOf(':') + 1)));
  }

  return {
    runs,
    acknowledgedUnstored,
    durations,
    get unanswered() {
      return traffic.unanswered[transport];
    },
    get lost() {
      return lost;
    },
    async untilDone(withinMs) {
      await until(
        'all is done',
        async () => {
          const { visible, inFlight } = await readDepth(sqs, queue.queueUrl);
          return visible + inFlight === 0 && (await completedIds()).size === messages;
        },
        withinMs,
      );
    },
    async stop() {
      await mapping.stop();
      traffic.stop();
    },
  };
}

/** Pairs of runs of one key of which the second began while the first's lease was live. */
export function runsWithinALease(runs: readonly Run[]): [Run, Run][] {
  const inOrder = runs.toSorted((a, b) => a.startedAt - b.startedAt);
  return inOrder.flatMap((run, index) =>
    inOrder
      .slice(0, index)
      .filter((earlier) => earlier.key === run.key && run.startedAt < earlier.leaseUntil)
      .map((earlier): [Run, Run] => [earlier, run]),
  );
}
