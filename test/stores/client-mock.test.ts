import { BatchExecuteStatementCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';

const dynamoDB = mockClient(DynamoDBClient);
const charged: string[] = [];
const handler = createBatchProcessor<{ orderId: string }>(({ body }) => void charged.push(body.orderId), {
  key: payloadHash({ include: ['orderId'] }),
  store: dynamoDBStore({ tableName: 'claims', client: new DynamoDBClient({ region: 'us-east-1' }) }),
  observer: { onEvent: () => undefined },
});
const event = sqsEvent([{ messageId: 'm-1', body: { orderId: 'A' } }]);

beforeEach(() => {
  dynamoDB.reset();
  charged.length = 0;
});

it('charges an order whose claim could be written', async () => {
  dynamoDB.on(BatchExecuteStatementCommand).resolves({ Responses: [{}] });
  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(charged).toEqual(['A']);
  expect(dynamoDB.commandCalls(BatchExecuteStatementCommand)).toHaveLength(2); // claimed, completed
});

it('hands the order back where the function may not write claims', async () => {
  const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
  dynamoDB.on(BatchExecuteStatementCommand).rejects(denied);
  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(charged).toEqual([]);
});
