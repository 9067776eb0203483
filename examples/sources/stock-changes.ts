import { createBatchProcessor, kafka } from 'batchlatch';
import { deadLetters } from './dead-letters.ts';
import { observer } from '../orders/observer.ts';
import { note } from './note.ts';

/** Notes the changes of stock of a Kafka topic, those of an article (the record's key) in their order. */
export const handler = createBatchProcessor(
  ({ body: { articleId, change } }, { signal }) => note('stock change', articleId, { change }, signal),
  { source: kafka<{ articleId?: string; change?: number }>({ lanes: 'key' }), observer, ...deadLetters() },
);
