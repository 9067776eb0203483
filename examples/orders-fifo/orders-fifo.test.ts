/** The handler of a FIFO queue, with AWS's clients mocked by `aws-sdk-client-mock`. */
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createOrdersFifo } from './orders-fifo.ts';

const DEAD_LETTERS = 'https://sqs.us-east-1.amazonaws.com/123456789012/dead.fifo';
const charges = mockClient(DynamoDBDocumentClient);
const queues = mockClient(SQSClient);
afterAll(() => {
  charges.restore();
  queues.restore();
});

it('charges the orders of a customer in their order, and gives up what can never be charged', async () => {
  const handler = createOrdersFifo({ store: memoryStore(), deadLettersUrl: DEAD_LETTERS });
  charges.on(PutCommand).resolves({});
  queues.on(SendMessageCommand).resolves({});
  const order = (orderId: string, amountCents = 100) => ({
    messageId: orderId,
    messageGroupId: 'customer-1',
    body: { orderId, customerId: 'customer-1', amountCents, currency: 'EUR' },
  });
  const event = sqsEvent([order('o-1'), order('o-2', -1), order('o-3')], { fifo: true });

  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [] });

  const charged = charges.commandCalls(PutCommand).map(({ args: [{ input }] }) => input.Item?.['orderId']);
  expect(charged).toEqual(['o-1', 'o-3']);
  expect(queues.commandCalls(SendMessageCommand).map(({ args: [{ input }] }) => input)).toEqual([
    expect.objectContaining({ QueueUrl: DEAD_LETTERS, MessageGroupId: 'customer-1' }),
  ]);
});
