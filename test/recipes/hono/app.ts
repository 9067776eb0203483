import { type Context, Hono, type Next } from 'hono';
import { handle } from 'hono/aws-lambda';
import { createMiddleware } from 'hono/factory';
import { withFetchIdempotency } from 'batchlatch/http';
import { verifyToken } from './verify-token.ts';

/** Runs what comes after it once for each `Idempotency-Key` of a caller. */
const once = withFetchIdempotency(
  async (_request: Request, c: Context, next: Next) => {
    await next();
    return c.res;
  },
  { namespace: 'payments', scope: (request) => verifyToken(request.headers.get('authorization')).sub },
);
const idempotent = createMiddleware(async (c, next) => {
  const response = await once(c.req.raw, c, next);
  c.res = undefined; // else Hono merges the headers of both
  c.res = response;
});

let payments = 0;

export const app = new Hono();
app.post('/payments', idempotent, async (c) => {
  const { amount } = await c.req.json<{ amount: number }>();
  payments += 1;
  return c.json({ paymentId: `payment-${payments}`, amount }, 201);
});

export const handler = handle(app);
