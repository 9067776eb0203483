import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { lambdaContext } from 'batchlatch/testing';
import { handler } from '../../examples/payments-api/create-payment.ts';
import { v2Event } from '../http/lambda-events.ts';
import { emulatedTable } from '../support/emulated-table.ts';

describe('examples/payments-api', () => {
  const table = emulatedTable('dynoxide');
  const charges: string[] = [];
  let provider: Server;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      charges.push(String(request.headers['idempotency-key']));
      response.end(JSON.stringify({ chargeId: `charge-${charges.length}` }));
    });
    await new Promise<void>((resolve) => {
      provider.listen(0, '127.0.0.1', resolve);
    });
    process.env['PAYMENTS_URL'] = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    process.env['CLAIMS_TABLE_NAME'] = table.tableName;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
  });

  afterAll(() => {
    delete process.env['PAYMENTS_URL'];
    delete process.env['CLAIMS_TABLE_NAME'];
    delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
    provider.closeAllConnections();
    provider.close();
  });

  it('charges an order once: a request sent again is replayed, another one finds the charge', async () => {
    const first = await pay({ key: 'a', body: '{"orderId":"1","amountCents":500}' });
    expect(first).toMatchObject({ statusCode: 201, body: '{"chargeId":"charge-1","amountCents":500}' });
    expect(await pay({ key: 'a', body: '{"orderId":"1","amountCents":500}' })).toMatchObject({
      statusCode: 201,
      headers: { 'idempotency-replayed': 'true', location: '/payments/charge-1' },
    });
    expect(await pay({ key: 'b', body: '{"orderId":"1","amountCents":500}' })).toMatchObject(first);
    expect(charges).toEqual(['charges#function-v1-parts:["customer-1","1"]']);
  });

  it('keeps the orders of customers apart: none uses up the order id of another, or gets its charge', async () => {
    const body = '{"orderId":"2","amountCents":500}';
    const mine = await pay({ key: 'm', body });
    const theirs = await pay({ key: 'm', body }, 'customer-2');
    expect(mine).toMatchObject({ statusCode: 201 });
    expect(theirs).toMatchObject({ statusCode: 201 });
    expect((theirs as { headers: object }).headers).not.toHaveProperty('idempotency-replayed');
    expect(bodyOf(theirs)).not.toEqual(bodyOf(mine));
    expect(charges.slice(-2)).toEqual([
      'charges#function-v1-parts:["customer-1","2"]',
      'charges#function-v1-parts:["customer-2","2"]',
    ]);
  });

  it('refuses what it cannot charge, and a request without a key', async () => {
    const before = charges.length;
    const bodies = [
      '{}',
      'null',
      '[1',
      '{"orderId":"1"}',
      '{"orderId":"1","amountCents":0}',
      '{"orderId":"1","amountCents":1e9}',
      '{"orderId":"1","amountCents":0.5}',
      '{"orderId":"1#2","amountCents":1}',
      `{"orderId":"${'1'.repeat(65)}","amountCents":1}`,
    ];
    for (const [index, body] of bodies.entries()) {
      expect(await pay({ key: `c${index}`, body })).toMatchObject({ statusCode: 400 });
    }
    expect(await pay({ key: 'large', body: ' '.repeat(10_001) })).toMatchObject({ statusCode: 413 });
    expect(await pay({ key: null })).toMatchObject({ statusCode: 400 });
    expect(await pay({ key: 'd' }, '')).toMatchObject({ statusCode: 403 });
    expect(charges).toHaveLength(before);
  });

  function bodyOf(answer: unknown): unknown {
    return JSON.parse((answer as { body: string }).body);
  }

  function pay(sent: Parameters<typeof v2Event>[0], sub = 'customer-1'): ReturnType<typeof handler> {
    const event = v2Event(sent) as APIGatewayProxyEventV2WithJWTAuthorizer;
    Object.assign(event.requestContext, {
      authorizer: { jwt: { claims: { sub }, scopes: [] } },
    });
    return handler(event, lambdaContext());
  }
});
