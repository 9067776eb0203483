import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { withHttpIdempotency } from 'batchlatch/http';
import { chargeOnce } from './charge-once.ts';

/**
 * POST /payments of an HTTP API with a JWT authorizer. A client that lost the answer sends the same request with the
 * same `Idempotency-Key` and gets the first answer again.
 */
export const handler = withHttpIdempotency(
  async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => {
    const { orderId, amountCents } = JSON.parse(event.body ?? '{}') as Record<string, unknown>;
    if (typeof orderId !== 'string' || !Number.isSafeInteger(amountCents)) {
      return { statusCode: 400, body: JSON.stringify({ error: 'Expected orderId and amountCents' }) };
    }
    const charge = await chargeOnce({ orderId, amountCents: amountCents as number });
    return {
      statusCode: 201,
      headers: { 'content-type': 'application/json', location: `/payments/${charge.chargeId}` },
      body: JSON.stringify(charge),
    };
  },
  {
    namespace: 'payments-api',
    // Of the verified token, never of something that a client can write.
    scope: (event) => String(event.requestContext.authorizer.jwt.claims['sub'] ?? ''),
  },
);
