import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import dynalite from 'dynalite';
import { handler } from './orders.ts';

const server = dynalite({ createTableMs: 0 });

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CLAIMS_TABLE_NAME: 'claims',
  });
  const client = new DynamoDBClient();
  await client.send(new CreateTableCommand(claimsTableDefinition('claims').table));
  client.destroy();
});
after(() => server.close());

it('keeps the claim of an order in the table: the next message about it is dropped', async (t) => {
  const log = t.mock.method(console, 'log', () => undefined);
  const order = { body: { orderId: 'A' } };
  assert.deepEqual(await handler(sqsEvent([order]), lambdaContext()), { batchItemFailures: [] });
  assert.deepEqual(await handler(sqsEvent([order]), lambdaContext()), { batchItemFailures: [] });
  const charges = log.mock.calls.filter(({ arguments: [line] }) => line === 'charged A');
  assert.equal(charges.length, 1);
});
