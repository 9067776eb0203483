/** `examples/payments-api` on PostgreSQL, in a process that ends itself at a moment that the environment names. */
import { Client } from 'pg';

const { DIES_AT } = process.env;
const query = Client.prototype.query as (this: Client, ...call: unknown[]) => Promise<unknown>;

Client.prototype.query = async function dying(this: Client, ...call: unknown[]): Promise<unknown> {
  const [given] = call;
  const text = typeof given === 'string' ? given : String((given as { readonly text?: string }).text);
  if (text === 'COMMIT' && DIES_AT === 'before-commit') process.kill(process.pid, 'SIGKILL');
  const answer = await query.apply(this, call);
  if (text === 'COMMIT' && DIES_AT === 'after-commit') process.kill(process.pid, 'SIGKILL');
  return answer;
} as never;

export { handler } from '../../examples/payments-api/create-payment-postgres.ts';
