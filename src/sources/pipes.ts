import { pipesDynamoDBEntry } from './dynamodb-stream.ts';
import { pipesKinesisEntry } from './kinesis.ts';
import type { Reading, SourceBatch } from './source-batch.ts';
import { sqsBatch } from './sqs.ts';

/** What a pipe can read from, of what is read here. */
export type PipesSource = 'aws:sqs' | 'aws:kinesis' | 'aws:dynamodb';

/**
 * What EventBridge Pipes hands to a function: a list of the source's records, also of one. Each failure is named in
 * the answer: a pipe is documented to deliver again what is named, and promises no checkpoint for streams
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html).
 */
export function pipesBatch(records: readonly unknown[], source: PipesSource, reading: Reading): SourceBatch {
  switch (source) {
    case 'aws:sqs':
      return sqsBatch(records, reading);
    case 'aws:kinesis':
      return {
        entries: records.map((record, index) => pipesKinesisEntry(record, reading, index)),
        answer: 'item-failures',
        comesAgainSoon: true,
      };
    case 'aws:dynamodb':
      return { entries: records.map(pipesDynamoDBEntry), answer: 'item-failures', comesAgainSoon: true };
  }
}
