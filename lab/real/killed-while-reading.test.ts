import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SqsMapping, startSqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../packages/cli/src/dev/mappings/sqs-sdk-queue.ts';
import { readClaims, readDepth, readMessageIds } from '../local/demo/stored-orders.ts';
import { type OrdersStack, sendBodies, startOrdersStack } from '../../test/support/orders-stack.ts';
import { startFunction, type StartedFunction } from '../../test/support/started-function.ts';
import { until } from '../../test/support/until.ts';

const DEADLY = 4;

describe('A message that kills the process while it is read', () => {
  let stack: OrdersStack;
  let reader: StartedFunction;
  let mapping: SqsMapping | undefined;

  beforeEach(async () => {
    stack = await startOrdersStack(1);
  });
  afterEach(async () => {
    await mapping?.stop();
    await reader.stop();
    await stack.stop();
  });

  it.each([
    ['a `key` function that ends it', 'key'],
    ['a decoder that uses up its memory', 'memory'],
  ])('goes to the dead-letter queue without its nine neighbours: %s', async (_what, readBy) => {
    const bodies = Array.from({ length: 10 }, (_, n) => ({
      order: n === DEADLY ? 'deadly' : `order-${n}`,
    }));
    const messageIds = await sendBodies(stack, bodies);
    await startReader(readBy);
    const isEmpty = async (): Promise<boolean> => {
      const { visible, inFlight } = await readDepth(stack.sqs, stack.queues.queueUrl);
      return visible + inFlight === 0;
    };
    // Memory is used up in 2 seconds, or in 10 on a busy machine, and a few times.
    await until('the queue is empty', isEmpty, 200_000);

    const deadLetters = await readMessageIds(stack.sqs, stack.queues.deadLetterQueueUrl);
    expect(deadLetters).toEqual(new Set([messageIds[DEADLY]]));
    const claims = await readClaims(stack.dynamoDB, stack.tables.claims);
    const completed = claims.filter(({ key, status }) => key.includes('#v1:') && status === 'COMPLETED');
    expect(completed.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 9 }).fill(1));
  });

  async function startReader(readBy: string): Promise<void> {
    reader = await startFunction({
      module: new URL('../../test/support/deadly-reader.ts', import.meta.url),
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: stack.dynamoDBEndpoint,
        CLAIMS_TABLE_NAME: stack.tables.claims,
        BATCHLATCH_LOG_LEVEL: 'silent',
        READ_BY: readBy,
      },
      memoryMb: 112,
    });
    mapping = startSqsMapping({
      queue: sdkQueue(stack.sqs, stack.queues.queueUrl),
      queueArn: stack.queues.queueArn,
      maximumConcurrency: 1,
      reportsBatchItemFailures: true,
      invoke: (event) => reader.invoke(event),
    });
  }
});
