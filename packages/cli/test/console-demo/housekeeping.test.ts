import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { claimsTableDefinition, dynamoDBStore } from 'batchlatch/dynamodb';
import { systemClock } from '../../src/tool-base/clock.ts';
import { deleteExpired } from '../../src/console-demo/housekeeping.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';

const table = emulatedTable('dynoxide');

it('deletes the claims whose retention is over, and no others', async () => {
  const client = table.newClient();
  await client.send(new CreateTableCommand(claimsTableDefinition('claims', {}, {}).table));
  const now = Date.now();
  const store = dynamoDBStore({
    tableName: 'claims',
    client,
    clock: { ...systemClock, now: () => now - 60_000 },
  });
  for (const [key, retentionMs] of [
    ['kept', 90_000],
    ['over', 30_000],
    ['over too', 50_000],
  ] as const) {
    await store.acquire([{ key, owner: key, leaseMs: 10_000, retentionMs }]);
    await store.settle([{ key, owner: key, retentionMs, end: 'complete' }]);
  }
  expect(await deleteExpired(client, 'claims', now)).toBe(2);
  expect(await store.inspect('kept')).toMatchObject({ status: 'COMPLETED' });
  expect(await deleteExpired(client, 'claims', now)).toBe(0);
});
