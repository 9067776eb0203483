import type { BatchProcessor } from 'batchlatch';
import type * as Core from 'batchlatch/core';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';

type ClaimStore = NonNullable<Parameters<typeof Core.createBatchProcessor>[1]>['store'];

/** A processor of SQS records that logs nothing. `Core` is the library as it is built, or as it is traced. */
export function processorOf(
  { createBatchProcessor, sqs }: Pick<typeof Core, 'createBatchProcessor' | 'sqs'>,
  store: ClaimStore,
  work: () => Promise<void>,
  concurrency = 10,
): BatchProcessor {
  return createBatchProcessor(work, { store, source: sqs(), namespace: 'way', concurrency });
}

let sent = 0;

/** An event of new messages; those of a FIFO queue are in so many groups. */
export function batchOf(count: number, groups = 0): ReturnType<typeof sqsEvent> {
  const messages = Array.from({ length: count }, () => {
    sent += 1;
    const messageId = `m${sent}`;
    return { messageId, body: { a: 1 }, ...(groups > 0 && { messageGroupId: `g${sent % groups}` }) };
  });
  // As Lambda gives it: its texts are then whole ones, and not those that were put together here and are made whole on the way.
  return JSON.parse(JSON.stringify(sqsEvent(messages, { fifo: groups > 0 }))) as ReturnType<typeof sqsEvent>;
}

export function runBatch(processor: BatchProcessor, event: ReturnType<typeof sqsEvent>): Promise<unknown> {
  return processor(event, lambdaContext());
}
