import { createBatchProcessor, kinesis, payloadHash } from 'batchlatch';
import { deadLetters } from './dead-letters.ts';
import { observer } from '../orders/observer.ts';
import { note } from './note.ts';

/** Notes the page views of a Kinesis stream, each once however often its producer put it, and those of a visitor in order. */
export const handler = createBatchProcessor(
  ({ body: { viewId, page }, partitionKey: visitor }, { signal }) =>
    note('page view', viewId, { page, visitor }, signal),
  {
    source: kinesis<{ viewId?: string; page?: string }>(),
    observer,
    key: payloadHash({ include: ['viewId'] }),
    ...deadLetters(),
  },
);
