/**
 * A program: an API on a free port that answers once for each `Idempotency-Key`, with its claims in DynamoDB. It
 * tells its parent where it listens and of each charge; with `hangs` a charge is made, and never answered.
 */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { serve } from '@hono/node-server';
import { withFetchIdempotency } from 'batchlatch/http';
import { Hono } from 'hono';

/** The program's only argument, as JSON. */
export interface PaymentsServerSetup {
  readonly hangs: boolean;
  readonly leaseMs: number;
  readonly onLapsedLease: 'rerun' | 'park';
}

/** What the program tells its parent. */
export type PaymentsServerMessage = { readonly port: number } | { readonly charged: string };

process.on('disconnect', () => process.exit());

const { hangs, ...options } = JSON.parse(process.argv[2] ?? '') as PaymentsServerSetup;
const tell = (message: PaymentsServerMessage): void => void process.send?.(message);

const createPayment = withFetchIdempotency(
  async (request: Request) => {
    const { orderId } = (await request.json()) as { orderId: string };
    tell({ charged: orderId });
    if (hangs) await new Promise(() => undefined);
    return Response.json({ orderId }, { status: 201 });
  },
  { namespace: 'payments', scope: 'shared-by-all-callers', ...options },
);

const app = new Hono();
app.post('/payments', (c) => createPayment(c.req.raw));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => tell({ port }));
