import { describe, expect, it } from '@jest/globals';
import {
  dynamoDBOutboxAdmin,
  type OutboxAdmin,
  type OutboxEntry,
  type OutboxOperation,
  sweepOutbox,
} from 'batchlatch/outbox';
import { manualClock, type ManualClock } from 'batchlatch/testing';
import { emulatedOutbox, scriptedSender, type ScriptedSender } from '../support/emulated-outbox.ts';

const table = emulatedOutbox();
const bodyOf = (orderId: string, tenantId = 'a'): string => JSON.stringify({ orderId, tenantId });

interface Scene {
  readonly clock: ManualClock;
  readonly admin: OutboxAdmin;
  readonly sender: ScriptedSender;
  place(orderIds: readonly string[], tenantId?: string): Promise<void>;
  /** A minute later. */
  sweep(): Promise<void>;
  parked(): Promise<OutboxEntry>;
}

function scene(): Scene {
  const clock = manualClock();
  const { tableName, client } = table;
  const sender = scriptedSender();
  const admin = dynamoDBOutboxAdmin({ tableName, client, clock });
  const sweep = sweepOutbox(sender, { tableName, client, clock, write: () => undefined });
  return {
    clock,
    admin,
    sender,
    async place(orderIds, tenantId = 'a') {
      const all = orderIds.map((orderId) => ({ type: 'OrderPlaced' as const, body: { orderId, tenantId } }));
      await table.transact(...(await table.outboxAt(clock).inOrder(all)));
    },
    async sweep() {
      await clock.advance(60_000);
      await sweep();
    },
    async parked() {
      const { entries } = await admin.list({ state: 'parked' });
      return entries[0] as OutboxEntry;
    },
  };
}

const changeOf = (operation: OutboxOperation, seen: OutboxEntry, token = 'token-1') => ({
  operation,
  seen,
  token,
  operator: 'ann@laptop',
  reason: 'the queue was wrong',
});

describe('the administration of a DynamoDB outbox', () => {
  it('lists parked rows before those that wait, without bodies unless asked', async () => {
    const { sender, place, sweep, admin, clock } = scene();
    await place(['bad', 'held']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    const createdAt = clock.now();
    await sweep();
    const { entries } = await admin.list();
    expect(entries).toEqual([
      {
        outboxId: expect.stringMatching(/^[\da-f-]{36}$/),
        type: 'OrderPlaced',
        state: 'parked',
        version: expect.any(String),
        group: 'a',
        createdAt,
        changedAt: createdAt + 60_000,
        tries: 1,
        error: { name: 'Error', message: 'Refused for good' },
        bodyBytes: bodyOf('bad').length,
        history: [],
      },
      expect.objectContaining({ state: 'waiting', tries: 0, history: [] }),
    ]);
    const { outboxId } = entries[0] as OutboxEntry;
    expect((await admin.list({ outboxIds: [outboxId], bodies: true })).entries).toMatchObject([
      { outboxId, body: bodyOf('bad') },
    ]);
    expect(await admin.count()).toEqual({
      waiting: 1,
      parked: 1,
      oldestWaitingAt: createdAt,
      oldestParkedAt: createdAt,
    });
  });

  it('lists page by page, the oldest first', async () => {
    const { place, admin, clock } = scene();
    const groups = Array.from({ length: 25 }, (_, index) => `g-${index}`);
    for (const group of groups) {
      await place(['o'], group);
      await clock.advance(1_000);
    }
    const listed: (string | undefined)[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { entries, next } = await admin.list({ limit: 4, ...(cursor !== undefined && { cursor }) });
      expect(entries.length).toBeLessThanOrEqual(4);
      listed.push(...entries.map(({ group }) => group));
      cursor = next;
      pages += 1;
    } while (cursor !== undefined);
    expect(listed).toEqual(groups);
    expect(pages).toBeLessThanOrEqual(8);
    await expect(admin.list({ cursor: 'x' })).rejects.toThrow('Expected `cursor`');
    await expect(admin.list({ state: 'sent' as never })).rejects.toThrow('Expected `state`');
  });

  it('releases a parked row, which the next sweep sends before those that it held', async () => {
    const { sender, place, sweep, admin, parked } = scene();
    await place(['bad', 'held']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    const seen = await parked();
    sender.refuses.clear();
    expect(await admin.change([changeOf('release', seen)])).toEqual([{ status: 'done' }]);
    const { entries } = await admin.list({ outboxIds: [seen.outboxId] });
    expect(entries[0]?.history).toMatchObject([
      { operation: 'release', operator: 'ann@laptop', reason: 'the queue was wrong' },
    ]);
    await sweep();
    expect(sender.sent).toEqual([bodyOf('bad'), bodyOf('held')]);
    expect(await admin.change([changeOf('release', seen)])).toEqual([{ status: 'refused', why: 'absent' }]);
  });

  it('drops a parked row, which frees its group, keeps it for 14 days, and lets it be released after all', async () => {
    const { sender, place, sweep, admin, parked, clock } = scene();
    await place(['bad', 'held']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    expect(await admin.change([changeOf('drop', await parked())])).toEqual([{ status: 'done' }]);
    await sweep();
    expect(sender.sent).toEqual([bodyOf('held')]);
    await place(['later']);
    await sweep();
    expect(sender.sent).toEqual([bodyOf('held'), bodyOf('later')]);
    const { entries } = await admin.list({ state: 'dropped' });
    expect(entries).toMatchObject([{ state: 'dropped', history: [{ operation: 'drop' }] }]);
    const [row] = await table.rows();
    const days = (Number(row?.['expiresAt']?.N) * 1_000 - clock.now()) / 86_400_000;
    expect(days).toBeGreaterThan(13.9);
    sender.refuses.clear();
    expect(await admin.change([changeOf('release', entries[0] as OutboxEntry, 'token-2')])).toEqual([
      { status: 'done' },
    ]);
    await sweep();
    expect(sender.sent).toEqual([bodyOf('held'), bodyOf('later'), bodyOf('bad')]);
    expect(await table.rows()).toEqual([]);
  });

  it('frees a group although the dropped row has expired', async () => {
    const { sender, place, sweep, admin, parked } = scene();
    await place(['bad']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    await admin.change([changeOf('drop', await parked())]);
    const [row] = await table.rows();
    const { tableName: TableName } = table;
    await table.transact({
      Delete: { TableName, Key: { lane: row?.['lane']?.S, position: row?.['position']?.S } },
    });
    await place(['later']);
    await sweep();
    expect(sender.sent).toEqual([bodyOf('later')]);
  });

  it('drops a row whose counter has expired', async () => {
    const { sender, place, sweep, admin, parked } = scene();
    await place(['bad']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    const { tableName: TableName } = table;
    await table.transact({ Delete: { TableName, Key: { lane: 'group:a', position: '#' } } });
    expect(await admin.change([changeOf('drop', await parked())])).toEqual([{ status: 'done' }]);
    expect(await table.stored()).toHaveLength(1);
  });

  it('changes nothing that is no longer as it was seen', async () => {
    const { sender, place, sweep, admin, parked } = scene();
    await place(['bad']);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    const seen = await parked();
    const ends = await Promise.all([
      admin.change([changeOf('release', seen, 'one')]),
      admin.change([changeOf('drop', seen, 'other')]),
    ]);
    const statuses = ends.flat().map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(['done', 'refused']);
    await sweep(); // parks it again, if it was released
    expect(await admin.change([changeOf('drop', seen, 'third')])).toEqual([
      { status: 'refused', why: 'changed' },
    ]);
  });

  it('makes a repeated change once, and says "waiting" of a row that a relay may be sending', async () => {
    const { sender, place, sweep, admin, parked } = scene();
    await place(['bad']);
    const [waiting] = (await admin.list()).entries;
    expect(await admin.change([changeOf('drop', waiting as OutboxEntry)])).toEqual([
      { status: 'refused', why: 'waiting' },
    ]);
    sender.refuses.set(bodyOf('bad'), 'for good');
    await sweep();
    const seen = await parked();
    expect(await admin.change([changeOf('release', seen)])).toEqual([{ status: 'done' }]);
    expect(await admin.change([changeOf('release', seen)])).toEqual([{ status: 'done' }]);
    const [row] = (await admin.list()).entries;
    expect(row?.history).toHaveLength(1);
    const made = { ...seen, version: 'made up' };
    await expect(admin.change([changeOf('release', made)])).rejects.toThrow('Expected `seen.version`');
  });
});
