import { inPostgres } from '../../test/support/store-and-admin.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { claimsTableSql } from 'batchlatch/postgres';
import { Pool } from 'pg';
import type { ClaimsJson, Overview, PlanJson } from '../../packages/cli/src/console/api.ts';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start-console.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { openConsole } from '../../test/support/console-browser.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';

const CLAIMS = 1_000_000;
/** A page shows 100; what a request reads for it is bounded. */
const MOST_ROWS = 2_000;

const FILL = `
  INSERT INTO batchlatch_claims (key, status, owner, attempt, lease_until, expires_at, created_at, updated_at, completed_at, record_id)
  SELECT 'orders#v1:' || n, status, 'owner-' || n, 1, now(), now() + interval '4 days', now(), now(),
    CASE WHEN status = 'COMPLETED' THEN now() END, 'record-' || n
  FROM (
    SELECT n, CASE WHEN n % 100000 = 0 THEN 'PARKED' WHEN n % 50000 = 1 THEN 'IN_PROGRESS'
      WHEN n % 1000 = 2 THEN 'FAILED' ELSE 'COMPLETED' END AS status
    FROM generate_series(1, ${CLAIMS}) AS n
  ) AS claims`;

describeWith([postgres], `A console on ${CLAIMS} claims`, () => {
  let server: PostgresServer;
  let pool: Pool;
  let console: RunningConsole;
  let ask: (path: string, body?: unknown) => Promise<Response>;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ connectionString: server.endpoint });
    await pool.query(claimsTableSql());
    await pool.query(FILL);
    await pool.query('ANALYZE batchlatch_claims');
    console = await startConsole({
      store: inPostgres({ pool }),
      place: 'table batchlatch_claims',
      operator: 'ann@laptop',
      appFolder: 'none', // no page is asked for
      version: '0.0.0-test',
      queues: [],
      indexedStates: ['in-progress', 'overdue', 'failed', 'parked'],
    });
    const { session } = await openConsole(console.url);
    ask = (path, body) =>
      fetch(new URL(path, console.url), {
        headers: { ...session, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await console.stop();
    await pool.end();
    await server.stop();
  });

  it('counts by the index, and leaves open what no index knows', async () => {
    const { counts } = await overviewWhen(({ counts: { parked } }) => parked.kind !== 'unknown');
    expect(counts).toMatchObject({
      overdue: { count: 20, kind: 'exact' },
      failed: { count: 1_000, kind: 'exact' },
      parked: { count: 10, kind: 'exact' },
      completed: { count: null, kind: 'unknown' },
    });
  });

  it.each([
    ['state=parked', 10],
    ['state=overdue', 20],
    ['state=failed', 100],
    ['state=completed', 100],
    ['', 100],
    ['by=prefix&q=orders%23v1:77', 100],
    ['by=key&q=orders%23v1:777777', 1],
  ])('lists %j by reading a bounded number of rows', async (query, count) => {
    const { claims, rowsRead } = (await (await ask(`/api/claims?${query}`)).json()) as ClaimsJson;
    expect(claims).toHaveLength(count);
    expect(rowsRead).toBeLessThanOrEqual(MOST_ROWS);
  });

  it('looks for a record through a bounded number of rows with each request', async () => {
    const { claims, rowsRead, next } = (await (
      await ask('/api/claims?by=record&q=record-999999')
    ).json()) as ClaimsJson;
    expect({ claims, isOver: next === undefined }).toEqual({ claims: [], isOver: false });
    expect(rowsRead).toBeLessThanOrEqual(10 * MOST_ROWS);
  });

  it('plans a change of all parked claims by reading those alone', async () => {
    const answer = await ask('/api/plan', { operation: 'release', filter: { state: 'parked' } });
    expect(await answer.json()).toMatchObject({
      count: 10,
      isWhole: true,
      cost: { rowsRead: 10, writes: 10 },
    } satisfies Partial<PlanJson>);
  });

  async function overviewWhen(isSo: (overview: Overview) => boolean): Promise<Overview> {
    const { body } = await ask('/api/events');
    const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    try {
      let text = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error('The events ended');
        text += value;
        const told = text.match(/event: overview\ndata: (.*)\n\n/g)?.at(-1);
        const overview = told && (JSON.parse(told.slice(told.indexOf('{'))) as Overview);
        if (overview && isSo(overview)) return overview;
      }
    } finally {
      await reader.cancel();
    }
  }
});
