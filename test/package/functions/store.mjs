import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { twoDeliveries } from './two-deliveries.mjs';

void twoDeliveries((run, observer) =>
  createBatchProcessor(run, { observer, store: dynamoDBStore({ tableName: process.env.CLAIMS_TABLE_NAME }) }),
);
