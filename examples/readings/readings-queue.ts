import { SQS } from '@aws-sdk/client-sqs';
import { backoff, createBatchProcessor, deadLetterQueue, payloadHash } from 'batchlatch';
import { observer } from '../orders/observer.ts';
import { type Reading, READINGS_AT_ONCE, storeReadings } from './store-readings.ts';

/**
 * Stores the readings of an SQS batch, as many as fit in one write at a time, each once.
 *
 * Readings that the table did not take come again with back-off; anything that is not a reading goes to the dead-letter
 * queue at once, with the reason, instead of after as many deliveries as the redrive policy allows.
 */
export const handler = createBatchProcessor.forBatches<Reading>(
  (items) => storeReadings(items.map(({ record }) => record.body)),
  {
    key: payloadHash({ include: ['sensorId', 'takenAt'] }),
    concurrency: READINGS_AT_ONCE,
    observer,
    sqs: new SQS({}),
    visibility: backoff(),
    deadLetter: deadLetterQueue({ url: process.env['DEAD_LETTERS_URL'] ?? '' }),
  },
);
