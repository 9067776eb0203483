import { describe, expect, it } from '@jest/globals';
import { createOutboxMonitor, type OutboxMonitorOptions } from 'batchlatch/monitor';
import { dynamoDBOutboxAdmin, sweepOutbox } from 'batchlatch/outbox';
import { lambdaContext, manualClock } from 'batchlatch/testing';
import { emulatedOutbox, scriptedSender } from '../support/emulated-outbox.ts';

const table = emulatedOutbox();
const metricsIn = (line: string | undefined): Record<string, unknown> =>
  JSON.parse(line ?? '') as Record<string, unknown>;

describe('The monitor of an outbox', () => {
  it('counts what waits and what is parked, and writes the same line as the sweep', async () => {
    const { tableName, client } = table;
    const clock = manualClock();
    const sender = scriptedSender();
    for (const orderId of ['o-1', 'o-2']) {
      const body = { orderId, tenantId: 'a' };
      await table.transact(...(await table.outboxAt(clock).inOrder([{ type: 'OrderPlaced', body }])));
      sender.refuses.set(JSON.stringify(body), 'for good');
      await clock.advance(60_000);
    }
    const swept: string[] = [];
    await sweepOutbox(sender, { tableName, client, clock, write: (line) => swept.push(line) })();
    const written: string[] = [];
    const admin = dynamoDBOutboxAdmin({ tableName, client, clock });
    const monitor = createOutboxMonitor({ admin, tableName, clock, write: (line) => written.push(line) });
    const counts = await monitor({}, lambdaContext({ clock }));
    expect(counts).toEqual({ table: tableName, waiting: 1, parked: 1, oldestMs: 60_000, isWhole: true });
    expect(written).toHaveLength(1);
    const { requestId, ...line } = metricsIn(written[0]);
    expect(requestId).toEqual(expect.any(String));
    const { sent, ...ofSweep } = metricsIn(swept.at(-1));
    expect([line, sent]).toEqual([ofSweep, 0]);
  });

  const answering = (count: OutboxMonitorOptions['admin']['count']): OutboxMonitorOptions['admin'] => ({
    count,
    list: () => Promise.reject(new Error('must not be called')),
    change: () => Promise.reject(new Error('must not be called')),
  });

  it('writes zeros for an empty outbox, and says that 10,000 may be more', async () => {
    const lines: string[] = [];
    const write = (line: string): number => lines.push(line);
    let waiting = 0;
    const admin = answering(async () => ({ waiting, parked: 0 }));
    const monitor = createOutboxMonitor({ admin, write });
    await monitor();
    waiting = 10_000;
    await monitor();
    expect(lines.map(metricsIn)).toMatchObject([
      { table: 'outbox', WaitingOutboxRows: 0, ParkedOutboxRows: 0, OldestOutboxRowMs: 0, isWhole: true },
      { WaitingOutboxRows: 10_000, isWhole: false },
    ]);
  });

  it('waits for what writes its line, and fails with it', async () => {
    const write = (): Promise<never> => Promise.reject(new Error('the log is full'));
    const admin = answering(async () => ({ waiting: 0, parked: 0 }));
    await expect(createOutboxMonitor({ admin, write })()).rejects.toThrow('the log is full');
  });

  it('fails if the outbox cannot be read, or does not answer before the invocation ends', async () => {
    const lines: string[] = [];
    const write = (line: string): number => lines.push(line);
    const broken = answering(() => Promise.reject(new Error('no route to host')));
    await expect(createOutboxMonitor({ admin: broken, write })()).rejects.toThrow('no route to host');
    const clock = manualClock();
    const silent = answering(() => new Promise(() => undefined));
    const run = createOutboxMonitor({ admin: silent, write, clock })(
      {},
      lambdaContext({ clock, remainingTimeMs: 10_000 }),
    );
    await Promise.all([expect(run).rejects.toMatchObject({ name: 'StoreError' }), clock.advance(8_000)]);
    expect(lines).toEqual([]);
  });

  it.each([
    [{}, '`admin`'],
    [{ admin: {} }, '`admin`'],
    [{ admin: answering(async () => ({ waiting: 0, parked: 0 })), table: 'x' }, '`table`'],
  ])('refuses options that cannot work: %j', (options, message) => {
    expect(() => createOutboxMonitor(options as never)).toThrow(message);
  });
});
