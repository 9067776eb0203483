import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { BasePersistenceLayer } from '@aws-lambda-powertools/idempotency/persistence';
import type { SQSRecord } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { BatchHandler, ContenderSetup } from './contender.ts';

/** As its documentation shows it: the batch utility with an idempotent record handler, key = messageId. */
export function processor({ handler }: ContenderSetup, persistenceStore: BasePersistenceLayer): BatchHandler {
  const standard = new BatchProcessor(EventType.SQS);
  const fifo = new SqsFifoPartialProcessorAsync();
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });
  const handleRecord = makeIdempotent(
    async (record: SQSRecord) => handler(JSON.parse(record.body) as Order),
    { config, persistenceStore },
  );
  return async (event, context) => {
    config.registerLambdaContext(context);
    const isFifo = event.Records[0]?.eventSourceARN.endsWith('.fifo') === true;
    return isFifo
      ? processPartialResponse(event, handleRecord, fifo, { context })
      : processPartialResponse(event, handleRecord, standard, { context });
  };
}
