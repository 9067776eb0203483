import { inDynamoDB } from '../../../../test/support/store-and-admin.ts';
import type { MemoryStore } from 'batchlatch/memory';
import { beforeAll } from '@jest/globals';
import {
  type AttributeValue,
  CreateTableCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { systemClock } from '../../src/tool-base/clock.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

/** When the claims are looked at. */
export const NOW: number = Date.UTC(2026, 0, 10, 12);
const MINUTE = 60_000;

/** A table with the index of overdue claims. */
export interface ClaimsOfTest {
  readonly store: MemoryStore;
  readonly endpoint: string;
  /** The store at another time. */
  at(time: number): MemoryStore;
  /** Makes a claim and ends it as it is to be. */
  make(
    key: string,
    how: 'in-progress' | 'overdue' | 'failed' | 'parked' | 'completed',
    recordId?: string,
  ): Promise<void>;
  /** Sets attributes of a row, past the store. */
  update(key: string, attributes: Readonly<Record<string, AttributeValue>>): Promise<void>;
  /** `batchlatch claims …` on the table. */
  claims(args: readonly string[], how?: Terminal): Promise<Ended>;
}

export function claimsInStates(tableName = 'claims'): ClaimsOfTest {
  const table = emulatedTable('dynoxide');
  let store: MemoryStore;
  const storeAt = (time: number): MemoryStore =>
    inDynamoDB({
      tableName,
      client: table.newClient(),
      overdueIndex: true,
      clock: { ...systemClock, now: () => time },
    });
  beforeAll(async () => {
    const { table: definition } = claimsTableDefinition(tableName, {}, { overdueIndex: true });
    await table.newClient().send(new CreateTableCommand(definition));
    store = storeAt(NOW);
  });
  return {
    get store() {
      return store;
    },
    get endpoint() {
      return table.endpoint;
    },
    at: storeAt,
    async make(key, how, recordId = `m-${key}`) {
      const at = storeAt(NOW - 3 * MINUTE);
      const owner = `owner of ${key}`;
      const leaseMs = how === 'overdue' ? MINUTE : 10 * MINUTE;
      const retentionMs = (how === 'parked' ? 90 : 4) * 24 * 60 * MINUTE;
      await at.acquire([{ key, owner, leaseMs, retentionMs, lockedBy: 'OrdersFunction 42 abc', recordId }]);
      if (how === 'in-progress' || how === 'overdue') return;
      const error = { name: 'Declined', message: 'the card was declined', code: 'card_declined' };
      await at.settle([
        how === 'completed'
          ? { key, owner, retentionMs, end: 'complete', result: '{"chargeId":"ch_1"}' }
          : { key, owner, retentionMs, end: how === 'failed' ? 'fail' : 'park', error },
      ]);
    },
    async update(key, attributes) {
      const client = table.newClient();
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: { id: { S: key } } }),
      );
      await client.send(new PutItemCommand({ TableName: tableName, Item: { ...Item, ...attributes } }));
    },
    claims: (args, how) =>
      runCommand(['claims', ...args, '--table', tableName, '--endpoint-url', table.endpoint], {
        now: () => NOW,
        ...how,
      }),
  };
}
