import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';

const processor = new BatchProcessor(EventType.SQS);
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env['CLAIMS_TABLE_NAME'] ?? '' });
const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });

const handleRecord = makeIdempotent(
  async (record: SQSRecord) => {
    if (JSON.parse(record.body) === null) throw new Error('An order needs a body');
  },
  { config, persistenceStore },
);

export const handler = async (event: SQSEvent, context: Context): Promise<unknown> => {
  config.registerLambdaContext(context);
  return processPartialResponse(event, handleRecord, processor, { context });
};
