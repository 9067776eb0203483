import { expect, it } from '@jest/globals';
import { gatherBatch } from '../../../src/dev/mappings/sqs-batches.ts';
import type { ReceivedMessage } from '../../../src/dev/mappings/sqs-sdk-queue.ts';

it('A batch of thousands reads each message once for its size', async () => {
  let reads = 0;
  const message = {
    messageId: 'm',
    receiptHandle: 'r',
    get body() {
      reads += 1;
      return 'x';
    },
    md5OfBody: '',
    attributes: {} as ReceivedMessage['attributes'],
    messageAttributes: {},
  };
  const { batch, rest } = await gatherBatch({
    receive: (most) => Promise.resolve(Array.from({ length: most }, () => message)),
    isWanted: (messages) => Promise.resolve(messages),
    batchSize: 2_000,
    windowMs: 60_000,
    held: [],
    signal: new AbortController().signal,
  });
  expect({ batch: batch.length, rest: rest.length, reads }).toEqual({ batch: 2_000, rest: 0, reads: 2_000 });
});
