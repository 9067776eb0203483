import { describe, expect, it } from '@jest/globals';
import { dynamoDBOutboxAdmin, type OutboxAdmin } from 'batchlatch/outbox';
import type {
  ActionJson,
  JobJson,
  Overview,
  RowsJson,
  RowsPlanJson,
  RowsResult,
  Session,
} from '../../src/console/api.ts';
import { posting } from '../../../../test/support/console-browser.ts';
import { emulatedOutbox, placeOrders } from '../../../../test/support/emulated-outbox.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY, type OpenConsole } from './consoles.ts';

const CREATED = Date.UTC(2026, 0, 10, 12);
const REASON = 'the queue is back';

describe('the outbox of a console', () => {
  const open = consoles();
  const table = emulatedOutbox();
  const admin = (): OutboxAdmin => {
    const { tableName, client } = table;
    return dynamoDBOutboxAdmin({ tableName, client });
  };

  /** A console on an outbox in which `o-1` is parked, and `o-2` waits behind it. */
  async function openWith(options: object = {}): Promise<OpenConsole> {
    await placeOrders(table, CREATED, { 'o-1': 'a', 'o-2': 'a' }, ['o-1']);
    return open({ ...EMPTY, outbox: { admin: admin(), place: 'outbox orders-outbox' }, ...options });
  }

  const seen = ({ rows }: RowsJson): object[] =>
    rows.map(({ outboxId, state, version }) => ({ outboxId, state, version }));

  async function carryOut(
    { get, post }: OpenConsole,
    { plan }: RowsPlanJson,
  ): Promise<JobJson & { readonly result: RowsResult }> {
    const { job } = await post<{ job: string }>('/api/outbox/change', { plan, reason: REASON });
    let state: JobJson | undefined;
    await until('the job has ended', async () => {
      state = await get<JobJson>(`/api/job?id=${job}`);
      return state.ended !== undefined;
    });
    return state as JobJson & { readonly result: RowsResult };
  }

  it('is listed with its parked rows first, counted, and shown without bodies until one is asked for', async () => {
    const { get, post, listen } = await openWith();
    expect(await get<Session>('/api/session')).toMatchObject({ outbox: 'outbox orders-outbox' });
    const page = await get<RowsJson>('/api/outbox');
    expect(page.rows).toMatchObject([
      { state: 'parked', type: 'OrderPlaced', group: 'a', tries: 1, createdAt: '2026-01-10T12:00:00.000Z' },
      { state: 'waiting', group: 'a', tries: 0 },
    ]);
    expect(JSON.stringify(page)).not.toContain('tenantId');
    expect((await get<RowsJson>('/api/outbox?state=parked&type=MailWanted')).rows).toEqual([]);
    const outboxId = page.rows[0]?.outboxId;
    expect(await post('/api/outbox/body', { outboxId })).toEqual({
      body: '{"orderId":"o-1","tenantId":"a"}',
    });
    const events = listen();
    const { outbox } = await events.until<Overview>('overview', (told) => told.outbox !== undefined);
    expect(outbox).toEqual({
      waiting: { count: 1, kind: 'exact' },
      parked: { count: 1, kind: 'exact' },
      oldestWaitingAt: '2026-01-10T12:00:00.000Z',
      oldestParkedAt: '2026-01-10T12:00:00.000Z',
    });
    events.close();
  });

  it('is changed in two steps, with the reason on the row and in the log of actions', async () => {
    const console = await openWith();
    const rows = seen(await console.get<RowsJson>('/api/outbox'));
    const plan = await console.post<RowsPlanJson>('/api/outbox/plan', { operation: 'drop', rows });
    expect(plan).toMatchObject({
      count: 2,
      wouldChange: 1,
      inGroups: 1,
      isWhole: true,
      wouldBeRefused: { waiting: 1, changed: 0, absent: 0, dropped: 0 },
    });
    expect((await carryOut(console, plan)).result).toMatchObject({ done: 1, failed: 0, notSent: 0 });
    const dropped = await console.get<RowsJson>('/api/outbox?state=dropped');
    expect(dropped.rows).toMatchObject([
      { history: [{ operation: 'drop', operator: 'ann@laptop', reason: REASON }] },
    ]);
    const { actions } = await console.get<{ actions: readonly ActionJson[] }>('/api/actions');
    expect(actions).toMatchObject([{ what: 'drop-row', reason: REASON, asked: 1, done: 1, ended: 'whole' }]);
    const again = await console.ask(
      '/api/outbox/change',
      posting(console.url, { plan: plan.plan, reason: REASON }),
    );
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('no-plan')]);
  });

  it('leaves a row alone that has changed since it was seen, before the plan or after', async () => {
    const console = await openWith();
    const before = await console.get<RowsJson>('/api/outbox?state=parked');
    const filter = { state: 'parked' };
    const plan = await console.post<RowsPlanJson>('/api/outbox/plan', { operation: 'release', filter });
    const other = await console.post<RowsPlanJson>('/api/outbox/plan', { operation: 'drop', filter });
    expect((await carryOut(console, other)).result.done).toBe(1);
    expect((await carryOut(console, plan)).result).toMatchObject({
      done: 0,
      refused: { changed: 1 },
      notChanged: [{ why: 'changed' }],
    });
    const late = await console.post<RowsPlanJson>('/api/outbox/plan', {
      operation: 'release',
      rows: seen(before),
    });
    expect(late).toMatchObject({ wouldChange: 0, wouldBeRefused: { changed: 1 } });
    const [row] = seen(await console.get<RowsJson>('/api/outbox?state=dropped'));
    const rows = [{ ...row, version: 'before' }];
    expect(await console.post('/api/outbox/plan', { operation: 'release', rows })).toMatchObject({
      wouldBeRefused: { changed: 1 },
    });
  });

  it('is not changed by a console that only reads', async () => {
    const { ask, post, url } = await openWith({ allowChanges: false });
    const { plan } = await post<RowsPlanJson>('/api/outbox/plan', {
      operation: 'release',
      filter: { state: 'parked' },
    });
    const refused = await ask('/api/outbox/change', posting(url, { plan, reason: REASON }));
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('read-only')]);
    expect((await admin().list({ state: 'parked' })).entries).toHaveLength(1);
  });

  it('is told to be away, or not to be there', async () => {
    const failing = replaced(admin(), {
      count: () => Promise.reject(new Error('no permission')),
    });
    const { listen } = await open({ ...EMPTY, outbox: { admin: failing, place: 'outbox x' } });
    const events = listen();
    const { outbox, storeError } = await events.until<Overview>(
      'overview',
      (told) => told.outbox !== undefined,
    );
    expect([outbox?.error, outbox?.parked.kind, storeError]).toEqual(['no permission', 'unknown', undefined]);
    events.close();
    const without = await open(EMPTY);
    expect((await without.ask('/api/outbox')).status).toBe(404);
    const plan = posting(without.url, { operation: 'drop', filter: { state: 'parked' } });
    expect((await without.ask('/api/outbox/plan', plan)).status).toBe(404);
  });
});
