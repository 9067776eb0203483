import { randomUUID } from 'node:crypto';
import { itself } from '../../support/store-and-admin.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { postgresAdmin, postgresStore } from 'batchlatch/postgres';
import { describeClaimStore, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { assertSameAsTheStateMachine, casesFrom } from '../../support/postgres-differences.ts';
import { createPostgresTable, poolOf, rowsOfPostgres, storeByClock } from '../../support/postgres-table.ts';

let service: LocalService;
let pool: Pool;
let table: string;

beforeAll(async () => {
  service = await startPostgresEmulator();
  pool = poolOf(service.endpoint);
  table = await createPostgresTable(pool);
});

afterAll(async () => {
  await pool.end();
  await service.stop();
});

describeClaimStore(
  {
    name: 'postgresStore',
    admin: itself,
    create: (clock) => storeByClock(pool, table, clock),
    rows: rowsOfPostgres(() => ({ pool, name: table })),
  },
  { describe, it },
);

it('takes over as the state machine says, over 2,000 rows and requests at random', async () => {
  await assertSameAsTheStateMachine(casesFrom(0, 2_000), pool, pool, table);
});

it.each(['\0', '"\ud800"', '@\0', 'a\\0'])('keeps any text of a serializer: %j', async (text) => {
  let runs = 0;
  const runOnce = withIdempotency(
    async () => {
      runs += 1;
      return text;
    },
    {
      namespace: 'texts',
      key: () => JSON.stringify(text),
      store: postgresStore({ pool, table }),
      serializer: { stringify: String, parse: (stored: string) => stored },
    },
  );
  expect(await runOnce()).toBe(text);
  expect(await runOnce()).toBe(text);
  expect(runs).toBe(1);
});

it.each(['a\0', '\ud800'])('compares any text of a payload: %j', async (note) => {
  const seen: string[] = [];
  const processor = createBatchProcessor<{ id: string; note: string }>(
    async ({ body }) => void seen.push(body.note),
    {
      namespace: 'payloads',
      key: ({ body }) => body.id,
      payloadValidation: ({ body }) => body.note,
      store: postgresStore({ pool, table }),
      observer: { onEvent: ({ type }) => void seen.push(type) },
    },
  );
  const id = JSON.stringify(note);
  for (const body of [
    { id, note },
    { id, note },
    { id, note: 'other' },
  ]) {
    await processor(sqsEvent([{ messageId: randomUUID(), body }]));
  }
  const ends = ['duplicate', 'mismatch'];
  expect(seen.filter((one) => one === note || ends.includes(one))).toEqual([note, ...ends]);
});

it.each([
  ['infinity', 'in-progress'],
  ['-infinity', 'overdue'],
] as const)('lists on after a page that ends with a lease until %s', async (lease, state) => {
  const table = await createPostgresTable(pool);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const claim = { owner: 'o', leaseMs: 60_000, retentionMs: 600_000 };
  await postgresStore({ pool, table }).acquire(keys.map((key) => ({ ...claim, key })));
  await pool.query(`UPDATE ${table} SET lease_until = '${lease}'`);
  const admin = postgresAdmin({ pool, table });
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await admin.list({ state, limit: 2, ...(cursor !== undefined && { cursor }) });
    listed.push(...page.claims.map(({ key }) => key));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(listed).toEqual(keys);
});
