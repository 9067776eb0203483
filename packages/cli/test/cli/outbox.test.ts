import { describe, expect, it } from '@jest/globals';
import { dynamoDBOutboxAdmin, type OutboxEntry, type OutboxState } from 'batchlatch/outbox';
import { emulatedOutbox, placeOrders } from '../../../../test/support/emulated-outbox.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

const table = emulatedOutbox();
const CREATED = Date.UTC(2026, 0, 10, 12);
const NOW = CREATED + 5 * 60_000;
const BECAUSE = ['--reason', 'the queue is back'] as const;

function outbox(args: readonly string[], how?: Terminal): Promise<Ended> {
  const { tableName, endpoint } = table;
  return runCommand(['outbox', ...args, '--endpoint-url', endpoint], {
    now: () => NOW,
    env: { OUTBOX_TABLE_NAME: tableName, CLAIMS_TABLE_NAME: 'another' },
    ...how,
  });
}

/** Parks the rows of these orders; the others of their tenants wait behind them. */
function place(orders: Readonly<Record<string, string>>, ...refused: readonly string[]): Promise<void> {
  return placeOrders(table, CREATED, orders, refused);
}

async function rows(state?: OutboxState): Promise<readonly OutboxEntry[]> {
  const { tableName, client } = table;
  const admin = dynamoDBOutboxAdmin({ tableName, client });
  return (await admin.list({ bodies: true, ...(state !== undefined && { state }) })).entries;
}

async function parkedId(): Promise<string> {
  const [row] = await rows('parked');
  return row?.outboxId ?? 'none is parked';
}

describe('The commands of an outbox', () => {
  it('list the parked rows first, without bodies', async () => {
    await place({ 'o-1': 'a', 'o-2': 'a' }, 'o-1');
    const { status, out, err } = await outbox(['list']);
    expect({ status, err }).toEqual({ status: 0, err: `2 rows in outbox ${table.tableName}.\n` });
    expect(out.replace(/[\da-f-]{36}/g, 'ID')).toBe(
      'OUTBOX ID                             STATE    TYPE         GROUP  CREATED                   TRIES  ERROR\n' +
        'ID  parked   OrderPlaced  a      2026-01-10T12:00:00.000Z      1  Error: Refused for good\n' +
        'ID  waiting  OrderPlaced  a      2026-01-10T12:00:00.000Z      0\n',
    );
  });

  it('list the rows of a state, a type or an id as JSON, with bodies if asked', async () => {
    await place({ 'o-1': 'a', 'o-2': 'b' }, 'o-1');
    const listed = async (...args: string[]): Promise<{ readonly rows: unknown[]; readonly next: unknown }> =>
      JSON.parse((await outbox(['list', '--json', ...args])).out);
    const id = await parkedId();
    expect(await listed('--state', 'parked')).toEqual({
      rows: [
        {
          outboxId: id,
          type: 'OrderPlaced',
          state: 'parked',
          group: 'a',
          createdAt: '2026-01-10T12:00:00.000Z',
          changedAt: '2026-01-10T12:01:00.000Z',
          tries: 1,
          error: { name: 'Error', message: 'Refused for good' },
          bodyBytes: 32,
          history: [],
        },
      ],
      next: null,
    });
    expect(await listed('--id', id, '--show-bodies')).toMatchObject({
      rows: [{ outboxId: id, body: '{"orderId":"o-1","tenantId":"a"}' }],
    });
    expect(await listed('--type', 'OrderCancelled')).toEqual({ rows: [], next: null });
    const first = await listed('--limit', '1');
    const second = await listed('--limit', '1', '--cursor', String(first.next));
    expect([...first.rows, ...second.rows]).toMatchObject([{ state: 'parked' }, { state: 'waiting' }]);
  });

  it('count rows, with the age of the oldest', async () => {
    await place({ 'o-1': 'a', 'o-2': 'a' }, 'o-1');
    expect(await outbox(['count'], { terminal: true })).toMatchObject({
      status: 0,
      out: 'STATE    ROWS  OLDEST CREATED\nwaiting     1  5 min ago\nparked      1  5 min ago\n',
    });
    expect(JSON.parse((await outbox(['count', '--json'])).out)).toEqual({
      waiting: 1,
      parked: 1,
      oldestWaitingAt: '2026-01-10T12:00:00.000Z',
      oldestParkedAt: '2026-01-10T12:00:00.000Z',
    });
  });

  it('release a row after a question, with who did it and why', async () => {
    await place({ 'o-1': 'a' }, 'o-1');
    const id = await parkedId();
    const { status, out, err } = await outbox(['release', id, ...BECAUSE], { terminal: true, input: 'y\n' });
    expect({ status, out }).toEqual({ status: 0, out: `Released ${id}\n` });
    expect(err).toContain('AFTER RELEASE\n');
    expect(err).toMatch(/parked +OrderPlaced +is sent\nRelease 1 row\? \[y\/N] $/);
    expect(await rows('waiting')).toMatchObject([
      { history: [{ operation: 'release', operator: 'ann@laptop', reason: 'the queue is back' }] },
    ]);
  });

  it('drop a row, find it again among the dropped, and release it', async () => {
    await place({ 'o-1': 'a' }, 'o-1');
    const id = await parkedId();
    const dropped = await outbox(['drop', id, ...BECAUSE, '--yes', '--operator', 'runbook']);
    expect(dropped).toEqual({ status: 0, out: `Dropped ${id}\n`, err: '' });
    expect(await rows('dropped')).toMatchObject([{ outboxId: id, history: [{ operator: 'runbook' }] }]);
    expect(await outbox(['drop', id, ...BECAUSE, '--yes'])).toMatchObject({
      status: 1,
      err: `Refused ${id}: it is dropped already\n`,
    });
    const plan = await outbox(['release', id, ...BECAUSE, '--dry-run', '--json']);
    expect(JSON.parse(plan.out)).toMatchObject({ wouldChange: [{ effect: 'is sent, out of order' }] });
    await outbox(['release', id, ...BECAUSE, '--yes']);
    expect(await rows('waiting')).toMatchObject([{ outboxId: id }]);
  });

  it('change all parked rows of a type, and change nothing in a dry run or without a yes', async () => {
    await place({ 'o-1': 'a', 'o-2': 'b', 'o-3': 'c' }, 'o-1', 'o-2');
    const all = ['release', '--state', 'parked', '--type', 'OrderPlaced', ...BECAUSE];
    expect(await outbox([...all, '--dry-run'])).toMatchObject({ status: 0, out: '' });
    expect(await outbox(all, { terminal: true, input: 'n\n' })).toMatchObject({ status: 1 });
    expect(await rows('parked')).toHaveLength(2);
    const { status, out } = await outbox([...all, '--yes', '--json']);
    expect({ status, ...JSON.parse(out) }).toMatchObject({ status: 0, refused: [], failed: [] });
    expect(await rows('parked')).toEqual([]);
    const none = await outbox([...all, '--yes']);
    expect(none).toEqual({ status: 0, out: '', err: `No parked rows in outbox ${table.tableName}.\n` });
  });

  it('refuse a row that waits and one that is not there, and change the others', async () => {
    await place({ 'o-1': 'a', 'o-2': 'b' }, 'o-1');
    const waiting = (await rows('waiting'))[0]?.outboxId ?? '';
    const id = await parkedId();
    const { status, out, err } = await outbox(['release', waiting, 'gone', id, ...BECAUSE, '--yes']);
    expect({ status, out }).toEqual({ status: 1, out: `Released ${id}\n` });
    expect(err).toBe(
      'Refused gone: there is no such row; it may be sent\n' +
        `Refused ${waiting}: a relay may be sending it: only parked and dropped rows can be changed\n` +
        '1 row of 3 changed.\n',
    );
  });

  it('change a row only if it is as it was seen', async () => {
    await place({ 'o-1': 'a' }, 'o-1');
    const id = await parkedId();
    const input = async (): Promise<string> => {
      await outbox(['drop', id, ...BECAUSE, '--yes']);
      return 'y\n';
    };
    const { status, err } = await outbox(['release', id, ...BECAUSE], { terminal: true, input });
    expect(status).toBe(1);
    expect(err).toContain(`Refused ${id}: it has changed meanwhile`);
    expect(await rows('dropped')).toHaveLength(1);
  });

  it.each([
    ['no reason', ['release', 'id', '--yes'], 'Say why: add --reason "…".'],
    ['nobody to ask', ['drop', 'id', ...BECAUSE], 'There is no terminal to ask on: add --yes'],
    ['no rows', ['release', ...BECAUSE, '--yes'], 'Name the rows: their outbox ids; or --state parked'],
    [
      'rows named twice',
      ['drop', 'id', '--state', 'parked', ...BECAUSE, '--yes'],
      '--state and --type are for many rows',
    ],
    ['Redis', ['list', '--redis'], 'leave --redis out'],
  ])('refuse %s: wrong usage', async (_what, args, message) => {
    const { status, out, err } = await outbox(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(message);
  });

  it("name no table but the outbox's", async () => {
    const { status, err } = await outbox(['count'], { env: { CLAIMS_TABLE_NAME: 'claims' } });
    expect(status).toBe(2);
    expect(err).toContain('No outbox table is named: add --table NAME, or set OUTBOX_TABLE_NAME.');
  });

  it.each([['list'], ['count'], ['release', '--state', 'parked', '--yes', ...BECAUSE]])(
    'say that a table of claims is not an outbox: %s',
    async (...args) => {
      const claims = ['--table', 'claims', '--endpoint-url', table.endpoint];
      await runCommand(['table', 'create', ...claims, '--yes']);
      const { status, out, err } = await outbox([...args, '--table', 'claims']);
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/^Error: This table is not an outbox, .*\n$/);
    },
  );
});
