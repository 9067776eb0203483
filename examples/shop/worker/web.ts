import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { pool } from './database.ts';
import { placeOrder } from './place-order.ts';

const app = new Hono();
app.post('/orders', (c) => placeOrder(c.req.raw));

const server = serve(
  { fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => console.log(`Listening on http://127.0.0.1:${port}`),
);
process.once('SIGTERM', () => server.close(() => void pool.end()));
