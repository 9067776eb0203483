import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { twoDeliveries } from './two-deliveries.mjs';

void twoDeliveries((run, observer) =>
  createBatchProcessor(run, { observer, store: dynamoDBStore({ client: new DynamoDB({}) }) }),
);
