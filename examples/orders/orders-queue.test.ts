/**
 * How to test a handler: the claims are in memory, AWS's clients are mocked by `aws-sdk-client-mock`, and events and the
 * context come from `batchlatch/testing`. Nothing is started, and nothing is sent.
 */
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { BatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createOrdersQueue } from './orders-queue.ts';

const order = { orderId: 'o-1', customerId: 'c-1', amountCents: 1_250, currency: 'EUR' };
/** Of every client that is made of this class, also of the one in charge-order.ts. */
const charges = mockClient(DynamoDBDocumentClient);
let handler: BatchProcessor;

beforeEach(() => {
  charges.reset();
  charges.on(PutCommand).resolves({});
  handler = createOrdersQueue({ store: memoryStore() });
});

it('charges an order once, however often it is sent and delivered', async () => {
  const twice = sqsEvent([
    { messageId: 'm-1', body: order },
    { messageId: 'm-2', body: order },
  ]);
  const again = sqsEvent([{ messageId: 'm-1', body: order, receiveCount: 2 }]);

  expect(await handler(twice, lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(await handler(again, lambdaContext())).toEqual({ batchItemFailures: [] });

  expect(charges.commandCalls(PutCommand)).toHaveLength(1);
  expect(charges.commandCalls(PutCommand)[0]?.args[0].input.Item).toMatchObject(order);
});

it('hands back what was not charged, and charges it when it comes again', async () => {
  charges
    .on(PutCommand)
    .rejectsOnce(new ProvisionedThroughputExceededException({ message: 'Too fast', $metadata: {} }))
    .resolves({});
  const failed = await handler(sqsEvent([{ messageId: 'm-1', body: order }]), lambdaContext());
  expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });

  const again = sqsEvent([{ messageId: 'm-1', body: order, receiveCount: 2 }]);
  expect(await handler(again, lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(charges.commandCalls(PutCommand)).toHaveLength(2);
});

it('never charges a wrong amount, and hands it back for the dead-letter queue', async () => {
  const wrong = sqsEvent([{ messageId: 'm-1', body: { ...order, amountCents: -1 } }]);
  expect(await handler(wrong, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(charges.commandCalls(PutCommand)).toEqual([]);
});
