import { expect, it } from '@jest/globals';
import { type DynamoDBStreamChange, dynamoDBStreamEvent, lambdaContext } from 'batchlatch/testing';
import { handler } from '../../examples/orders/charges-stream.ts';
import { exampleTable } from '../support/example-table.ts';

const log = exampleTable();

it('The example of a stream sends a receipt for each charge once, and names the first that fails', async () => {
  const charge = (orderId: string, amountCents: unknown): DynamoDBStreamChange => ({
    keys: { orderId, chargeId: `of ${orderId}` },
    newImage: { orderId, amountCents, currency: 'EUR' },
  });
  const event = dynamoDBStreamEvent([
    charge('1', 100),
    charge('2', 'free'),
    charge('3', 300),
    { ...charge('1', 100), oldImage: {} },
  ]);
  const answer = { batchItemFailures: [{ itemIdentifier: event.Records[1]?.dynamodb?.SequenceNumber }] };
  expect(await handler(event, lambdaContext())).toEqual(answer);
  expect(await handler(event, lambdaContext())).toEqual(answer);

  const receipts = log.mock.calls.map(([line]) => JSON.parse(line as string) as { orderId: string });
  expect(receipts.map(({ orderId }) => orderId).toSorted((a, b) => a.localeCompare(b))).toEqual(['1', '3']);
});
