import type { APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import { withHttpIdempotencyContext } from 'batchlatch/http';
import { inTransaction, postgresStore, type TransactionClient } from 'batchlatch/postgres';
import { openDatabase } from '../orders-postgres/database.ts';
import { type Payment, readPayment } from './payment.ts';

/**
 * The same API on PostgreSQL: the payment's row and the answer to the request are committed in one transaction. A process that dies has
 * written the payment and its answer, or neither, and a client that sends the request again gets the answer that was committed.
 */
export const handler = withHttpIdempotencyContext(
  (context) => async (event: APIGatewayProxyEventV2WithJWTAuthorizer) => {
    const payment = readPayment(event.body);
    if (payment === undefined) {
      return answer(400, { error: 'Expected an orderId and a number of amountCents' });
    }
    return inTransaction(context, (client) => insertPayment(client, customerOf(event), payment));
  },
  {
    namespace: 'payments-api',
    scope: customerOf,
    maxBodyBytes: 10_000,
    store: postgresStore({ pool: openDatabase() }),
  },
);

/** An order is paid once, also by another request with another key. */
async function insertPayment(
  client: TransactionClient,
  customerId: string,
  { orderId, amountCents }: Payment,
): Promise<Answer> {
  // Another request for the same order is waited for here.
  const { rows } = await client.query<{ id: string; amount_cents: number }>(
    `INSERT INTO payments AS p (customer_id, order_id, amount_cents) VALUES ($1, $2, $3)
     ON CONFLICT (customer_id, order_id) DO UPDATE SET amount_cents = p.amount_cents
     RETURNING id::text, amount_cents`,
    [customerId, orderId, amountCents],
  );
  const [paid] = rows;
  if (paid?.amount_cents !== amountCents) {
    return answer(409, { error: 'This order is paid already, with another amount' });
  }
  return answer(201, { paymentId: paid.id, amountCents }, { location: `/payments/${paid.id}` });
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function answer(statusCode: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** From the verified token, never from something that a client can set. */
function customerOf(event: APIGatewayProxyEventV2WithJWTAuthorizer): string {
  return String(event.requestContext.authorizer.jwt.claims['sub'] ?? '');
}
