import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { relay, sweepOutbox, type OutboxSweep } from 'batchlatch/outbox';
import { manualClock, type ManualClock } from 'batchlatch/testing';
import { OUTBOX_METRICS } from '../../site/dashboards/metrics.ts';
import { emulatedOutbox, scriptedSender, type ScriptedSender } from '../support/emulated-outbox.ts';

const table = emulatedOutbox();
const DAY_MS = 24 * 3_600_000;
const bodyOf = (orderId: string, tenantId = 'a'): string => JSON.stringify({ orderId, tenantId });

function sweepOf(sender: ScriptedSender, clock: ManualClock, lines: string[] = []): OutboxSweep {
  const { tableName, client } = table;
  return sweepOutbox(sender, { tableName, client, clock, write: (line) => void lines.push(line) });
}
async function place(clock: ManualClock, orderId: string, tenantId = 'a'): Promise<void> {
  await table.transact(await table.outboxAt(clock).message('OrderPlaced', { orderId, tenantId }));
}

describe('the sweep of a DynamoDB outbox', () => {
  it('sends rows that are older than a minute, and leaves younger ones to the stream', async () => {
    const clock = manualClock();
    await place(clock, 'old');
    await clock.advance(59_999);
    await place(clock, 'young', 'b');
    const sender = scriptedSender();
    const sweep = sweepOf(sender, clock);
    await sweep();
    expect(sender.sent).toEqual([]);
    await clock.advance(1);
    expect(await sweep()).toMatchObject({ sent: 1, waiting: 1, parked: 0, oldestMs: 1, isWhole: true });
    expect(sender.sent).toEqual([bodyOf('old')]);
  });

  it('sends all after two days without a relay, each group in its order', async () => {
    const clock = manualClock();
    const groups = ['a', 'b', 'c'];
    for (const orderId of ['1', '2', '3', '4']) {
      const all = groups.map((tenantId) => ({ type: 'OrderPlaced' as const, body: { orderId, tenantId } }));
      await table.transact(...(await table.outboxAt(clock).inOrder(all)));
      await clock.advance(DAY_MS / 2);
    }
    const sender = scriptedSender();
    const lines: string[] = [];
    expect(await sweepOf(sender, clock, lines)()).toMatchObject({ sent: 12, waiting: 0, oldestMs: 0 });
    for (const group of groups) {
      const ofGroup = sender.sent.filter((body) => body.includes(`"tenantId":"${group}"`));
      expect(ofGroup).toEqual(['1', '2', '3', '4'].map((id) => bodyOf(id, group)));
    }
    expect(await table.rows()).toEqual([]);
  });

  it('sends a batch that the stream has discarded', async () => {
    const clock = manualClock();
    await place(clock, 'o-1');
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('o-1'), 'not now');
    const { tableName, client } = table;
    await relay(sender, { tableName, client, clock })(await table.streamed());
    sender.refuses.clear();
    await clock.advance(60_000);
    await sweepOf(sender, clock)();
    expect(sender.sent).toEqual([bodyOf('o-1')]);
  });

  it('counts what it leaves, parked rows apart, as metrics', async () => {
    const clock = manualClock();
    await place(clock, 'bad');
    await clock.advance(10);
    await place(clock, 'held');
    await place(clock, 'later', 'b');
    await clock.advance(90_000);
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('bad'), 'for good').set(bodyOf('later', 'b'), 'not now');
    const lines: string[] = [];
    const report = await sweepOf(sender, clock, lines)({}, { awsRequestId: 'r-1' });
    expect(report).toEqual({
      table: table.tableName,
      sent: 0,
      waiting: 2,
      parked: 1,
      oldestMs: 90_000,
      isWhole: true,
    });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { message: 'outboxRowParked' },
      {
        _aws: {
          Timestamp: clock.now(),
          CloudWatchMetrics: [
            {
              Namespace: 'batchlatch',
              Dimensions: [['table']],
              Metrics: OUTBOX_METRICS.flatMap(({ names, unit }) =>
                names.map((Name) => ({ Name, Unit: unit })),
              ),
            },
          ],
        },
        table: table.tableName,
        requestId: 'r-1',
        WaitingOutboxRows: 2,
        ParkedOutboxRows: 1,
        OldestOutboxRowMs: 90_000,
      },
    ]);
  });

  it('asks for a lane once in a run, however many of its rows are in the index', async () => {
    const clock = manualClock();
    for (const orderId of ['bad', '2', '3', '4']) await place(clock, orderId);
    await clock.advance(60_000);
    const sender = scriptedSender();
    sender.refuses.set(bodyOf('bad'), 'not now');
    await sweepOf(sender, clock)();
    expect(sender.calls).toHaveLength(1);
  });

  it('notes what it has sent after a transaction that has the counter of the group', async () => {
    const body = { orderId: 'o-1', tenantId: 'a' };
    await table.transact(...(await table.outbox.inOrder([{ type: 'OrderPlaced', body }])));
    const conflict = Object.assign(new Error('Busy'), { name: 'TransactionConflictException' });
    let updates = 0;
    const send = (command: never, ...rest: never[]): Promise<unknown> => {
      const isFirst = (command as object) instanceof UpdateItemCommand && (updates += 1) === 1;
      return isFirst ? Promise.reject(conflict) : table.client.send(command, ...rest);
    };
    const client = Object.create(table.client, { send: { value: send } }) as typeof table.client;
    const options = { tableName: table.tableName, client, olderThanMs: 0, write: () => undefined };
    expect(await sweepOutbox(scriptedSender(), options)()).toMatchObject({ sent: 1 });
    expect(updates).toBe(2);
    expect(await table.rows()).toEqual([]);
  });

  it('fails if the table cannot be read', async () => {
    const sweep = sweepOutbox(scriptedSender(), { tableName: 'absent', client: table.client });
    await expect(sweep()).rejects.toMatchObject({ code: 'BATCHLATCH_TABLE_NOT_FOUND' });
  });

  it('writes a line without a complete count when its time is over', async () => {
    const clock = manualClock();
    await place(clock, 'o-1');
    await clock.advance(60_000);
    const sender = scriptedSender();
    const lines: string[] = [];
    const report = await sweepOf(sender, clock, lines)({}, { getRemainingTimeInMillis: () => 0 });
    expect(report).toMatchObject({ sent: 0, waiting: 1 });
    expect(sender.calls).toEqual([]);
    expect(lines).toHaveLength(1);
  });
});
