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
    expect(charges).toEqual(['charges#function-v1:1']);
  });

  it('refuses what it cannot charge, and a request without a key', async () => {
    expect(await pay({ key: 'c', body: '{}' })).toMatchObject({ statusCode: 400 });
    expect(await pay({ key: null })).toMatchObject({ statusCode: 400 });
    expect(charges).toHaveLength(1);
  });

  function pay(sent: Parameters<typeof v2Event>[0]): ReturnType<typeof handler> {
    const event = v2Event(sent) as APIGatewayProxyEventV2WithJWTAuthorizer;
    Object.assign(event.requestContext, {
      authorizer: { jwt: { claims: { sub: 'customer-1' }, scopes: [] } },
    });
    return handler(event, lambdaContext());
  }
});
