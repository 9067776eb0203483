import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { commit } from 'batchlatch/dynamodb';
import { withHttpIdempotencyContext } from 'batchlatch/http';
import { readOrder } from '../read-order.ts';
import { outbox, put } from './shop.ts';

/**
 * Places an order: the order, its message and the answer to the request are written in one transaction. The same
 * request with the same `Idempotency-Key` gets that answer.
 */
export const handler = withHttpIdempotencyContext(
  (context) => async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => {
    const wanted = readOrder(event.body);
    if (wanted === undefined) return answer(400, { error: 'Expected a number of cents' });
    const order = { orderId: randomUUID(), customerId: customerOf(event), ...wanted };
    const { orderId, ...attributes } = order;
    const result = answer(201, { orderId });
    await commit(context, [put(orderId, 'order', attributes), outbox.message('OrderPlaced', order)], {
      result,
    });
    return result;
  },
  { namespace: 'place-order', scope: customerOf, maxBodyBytes: 10_000 },
);

function answer(statusCode: number, body: object) {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Returns the customer, from the verified token. */
function customerOf(event: APIGatewayProxyEventV2WithJWTAuthorizer): string {
  return String(event.requestContext.authorizer.jwt.claims['sub'] ?? '');
}
