/** A program: adds messages to an outbox and relays them, and kills itself at one of its writes and sends. */
import { writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createOutboxRelay, postgresOutbox, type RowSender } from 'batchlatch/outbox';
import { Pool, type PoolClient, type QueryResult } from 'pg';
import { z } from 'zod';
import type { EncodedMessage } from '../../src/messages/encode-message.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import { laterClock } from './later-clock.ts';

/** The program's only argument, as JSON. */
export interface KilledOutboxSetup {
  readonly database: string;
  readonly table: string;
  readonly queueUrl: string;
  /** Ids of its orders begin with it. */
  readonly name: string;
  /** The write, read or send at which it ends. */
  readonly what: Step;
  /** At which of these, from 1. */
  readonly number: number;
  readonly moment: MomentOfDeath;
  /** How far its relay's clock is ahead. */
  readonly laterMs: number;
}

/** The steps of transactions that add messages, and of the relay. */
export type Step =
  | 'begin'
  | 'order'
  | 'add'
  | 'commit'
  | 'roll back'
  | 'find'
  | 'lock'
  | 'read'
  | 'send'
  | 'settle';

/** `between`: after the request has left, and before its answer. */
export type MomentOfDeath = 'before' | 'between' | 'after';

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as KilledOutboxSetup;
const agent = new Agent({ keepAlive: true });
const steps = new Map<string, number>();

function die(): never {
  writeSync(1, 'killed\n');
  process.kill(process.pid, 'SIGKILL');
  while (true); // the signal is on its way
}

/** Takes one step: `ask` calls `onSent` when its request has left the process. */
async function step<Answer>(
  what: Step | undefined,
  ask: (onSent: () => void) => Promise<Answer>,
): Promise<Answer> {
  const number = (steps.get(what ?? '') ?? 0) + 1;
  steps.set(what ?? '', number);
  const isLast = what === setup.what && number === setup.number;
  if (isLast && setup.moment === 'before') die();
  const answer = await ask(() => {
    if (isLast && setup.moment === 'between') die();
  });
  if (isLast) die();
  return answer;
}

/** Words of the statements. */
const STEPS: readonly (readonly [words: string, step: Step])[] = [
  ['BEGIN', 'begin'],
  ['COMMIT', 'commit'],
  ['ROLLBACK', 'roll back'],
  ['pg_notify', 'add'],
  ['INSERT INTO orders', 'order'],
  ['RECURSIVE', 'find'],
  ['set_config', 'lock'],
  ['LATERAL', 'read'],
  ['WITH gone', 'settle'],
];

const pool = new Pool({ connectionString: setup.database, max: 4 });
const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
const query = async (client: PoolClient, given: unknown, values?: unknown[]): Promise<QueryResult> => {
  const text = typeof given === 'string' ? given : (given as { readonly text: string }).text;
  const [, what] = STEPS.find(([words]) => text.includes(words)) ?? [];
  return step(what, async (onSent) => {
    const answer = client.query(given as string, values);
    setImmediate(onSent); // `pg` has written it by then
    return answer;
  });
};
const dying = {
  async connect() {
    const client = await connect();
    return Object.assign(Object.create(client) as PoolClient, {
      query: (given: unknown, values?: unknown[]) => query(client, given, values),
      release: (isBroken?: boolean) => client.release(isBroken),
    });
  },
};

const orders = messages({
  OrderPlaced: message(z.object({ id: z.string(), tenant: z.string() }), { group: 'tenant' }),
  MailSent: message(z.object({ id: z.string() })),
});
const outbox = postgresOutbox({ messages: orders, table: setup.table });

async function place(end: 'COMMIT' | 'ROLLBACK', number: number): Promise<void> {
  const client = await dying.connect();
  const id = `${setup.name}-${number}`;
  await client.query('BEGIN');
  await client.query(`INSERT INTO orders (id) VALUES ($1)`, [id]);
  if (number % 2 === 0) await outbox.add(client, 'MailSent', { id });
  else await outbox.add(client, 'OrderPlaced', { id, tenant: `tenant-${number % 4}` });
  await client.query(end);
  client.release();
}

/** Sends one request for each ten rows, without retries. */
const sender: RowSender = {
  async sendEncoded(rows) {
    const chunks = Array.from({ length: Math.ceil(rows.length / 10) }, (_, index) =>
      rows.slice(index * 10, (index + 1) * 10),
    );
    for (const chunk of chunks) await step('send', (onSent) => sendBatch(chunk, onSent));
    return { sent: rows, failed: [], unknown: [] };
  },
};

function sendBatch(rows: readonly EncodedMessage[], onSent: () => void): Promise<void> {
  const Entries = rows.map(({ body, attributes }, index) => ({
    Id: String(index),
    MessageBody: body,
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    ),
  }));
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.SendMessageBatch',
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/sqs/aws4_request, Signature=0',
    };
    const call = request(new URL(setup.queueUrl).origin, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const { Failed = [] } = JSON.parse(text) as { readonly Failed?: readonly object[] };
        if (response.statusCode === 200 && Failed.length === 0) resolve();
        else reject(new Error(`SQS answered ${response.statusCode}: ${text}`));
      });
    });
    call.on('error', reject).on('finish', onSent);
    call.end(JSON.stringify({ QueueUrl: setup.queueUrl, Entries }));
  });
}

for (const number of [1, 2, 3]) await place('COMMIT', number);
await place('ROLLBACK', 4);
const { table, laterMs } = setup;
const clock = laterClock(laterMs);
await createOutboxRelay({ pool: dying, table, sender, clock, listen: false, pollMs: 10 }).start();
