import { inDynamoDB, type StoreAndAdmin } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { createClaimMonitor } from 'batchlatch/monitor';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { keyHash } from '../../src/base/key-hash.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { claimRequest, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

/** Leaves the key of a record as a process leaves it that dies; its next delivery parks it. */
async function dieAndPark(store: StoreAndAdmin): Promise<void> {
  await store.acquire([claimRequest('orders#v1:unknown', { leaseMs: 1_000 })]);
  await clock.advance(1_000);
  const options = { namespace: 'orders', store, clock, onLapsedLease: 'park' } as const;
  const processor = createBatchProcessor(() => 'done', options);
  await processor(sqsEvent([{ messageId: 'unknown', body: '{}' }]), lambdaContext({ clock }));
}

const table = emulatedTable('dynoxide');
const clock = manualClock(Date.now());

it.each<[string, boolean, () => Promise<StoreAndAdmin>]>([
  ['in memory', true, async () => memoryStore({ clock })],
  [
    'in DynamoDB, by the index',
    false,
    async () => {
      const client = table.newClient();
      const tableName = `claims-${randomUUID()}`;
      const definition = claimsTableDefinition(tableName, {}, { overdueIndex: true });
      await client.send(new CreateTableCommand(definition.table));
      return inDynamoDB({ client, tableName, overdueIndex: true, clock });
    },
  ],
  [
    'in DynamoDB, by scans',
    true,
    async () =>
      inDynamoDB({ client: table.newClient(), tableName: table.tableName, overdueIndex: false, clock }),
  ],
])('counts and names the claims of a store %s', async (_where, isScanned, create) => {
  const store = await create();
  const hung = claimRequest('orders#hung', { leaseMs: 1_000 });
  const bad = claimRequest('orders#bad');
  const done = claimRequest('orders#done');
  await store.acquire([hung, bad, done, claimRequest('orders#running')]);
  await store.settle([settlementOf('park', bad), settlementOf('complete', done)]);
  await clock.advance(5_000);
  await dieAndPark(store);

  const written: string[] = [];
  const monitor = createClaimMonitor({
    admin: store,
    tableName: 't',
    clock,
    write: (line) => written.push(line),
  });
  expect(await monitor()).toEqual({
    table: 't',
    readBy: isScanned ? 'scan' : 'index',
    isWhole: true,
    overdue: 1,
    parked: 2,
    parkedKinds: { lapsed: 1, failed: 1, attempts: 0, done: 0 },
    inProgress: 1,
    oldestOverdueMs: 5_000,
  });
  const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  const named = lines.map(({ message, key }) => [message, key]);
  expect(named.filter(([message]) => String(message).endsWith('Claim'))).toEqual([
    ['overdueClaim', keyHash('orders#hung')],
    ['parkedClaim', keyHash('orders#bad')],
    ['parkedClaim', keyHash('orders#v1:unknown')],
  ]);
  expect(named.some(([message]) => message === 'claimsScanned')).toBe(isScanned);
});
