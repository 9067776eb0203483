import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { withHttpIdempotency } from 'batchlatch/http';
import { chargeOnce } from './charge-once.ts';
import { readPayment } from './payment.ts';

/**
 * POST /payments of an HTTP API with a JWT authorizer. A client that lost the answer sends the same request with the
 * same `Idempotency-Key` and gets the first answer again.
 */
export const handler = withHttpIdempotency(
  async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => {
    const payment = readPayment(event.body);
    if (payment === undefined) {
      return {
        statusCode: 400,
        body: JSON.stringify({ error: 'Expected an orderId and a number of amountCents' }),
      };
    }
    const charge = await chargeOnce({ customerId: customerOf(event), ...payment });
    return {
      statusCode: 201,
      headers: {
        'content-type': 'application/json',
        location: `/payments/${encodeURIComponent(charge.chargeId)}`,
      },
      body: JSON.stringify(charge),
    };
  },
  { namespace: 'payments-api', scope: customerOf, maxBodyBytes: 10_000 },
);

/** From the verified token, never from something that a client can set. */
function customerOf(event: APIGatewayProxyEventV2WithJWTAuthorizer): string {
  return String(event.requestContext.authorizer.jwt.claims['sub'] ?? '');
}
