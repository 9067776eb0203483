import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { BatchHandler } from 'batchlatch';
import {
  inTransaction,
  type PostgresPool,
  postgresStore,
  type SqlStatement,
  type TransactionClient,
} from 'batchlatch/postgres';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { type CuttingProxy, startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { type TransactionBench, transactionBench } from '../../test/support/transaction-bench.ts';

const IDS = Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`);
const TAKEN_OVER = 'r03';
const NOT_DONE = 'r07';

/** Statements of a transaction, by how their texts begin. */
const STATEMENTS = {
  BEGIN: /^BEGIN/,
  'the first INSERT': /^INSERT/,
  'the UPDATE of the claims': /^\s*WITH asked[^]*txid_current/,
  COMMIT: /^COMMIT/,
} as const;
type Statement = keyof typeof STATEMENTS;

const WAYS = [
  'PostgreSQL',
  'PgBouncer in transaction mode, before it,',
  'PgBouncer in transaction mode, behind it,',
] as const;

for (const way of WAYS) {
  const isBehind = way !== 'PostgreSQL';
  // A PgBouncer that loses its server in the middle of a row sends an error within the row: `pg` reads nonsense, and throws where nobody can catch it.
  const isAnswerWhole = way.endsWith('behind it,');
  const needed = isBehind ? [postgres, pgbouncer] : [postgres];
  describeWith(needed, `inTransaction of many records, on a way to ${way} that is cut`, () => {
    const opened: LocalService[] = [];
    let server: PostgresServer;
    let cutting: CuttingProxy;
    /** Goes past what is cut. */
    let undisturbed: Pool;
    let pool: Pool;
    let b: TransactionBench;
    /** Is told each statement of the store before it is sent. */
    let beforeStatement: (text: string) => void = () => undefined;
    /** A busy machine may start a server again only after the last of the function's runs: they wait for it here. */
    let serverIsBack: Promise<void> = Promise.resolve();

    beforeAll(async () => {
      server = await startPostgres();
      opened.push(server);
      let endpoint = server.endpoint;
      const steps = way.endsWith('behind it,') ? [throughCut, throughBouncer] : [throughBouncer, throughCut];
      for (const step of steps) endpoint = await step(endpoint);
      undisturbed = poolOf(server.endpoint);
      pool = poolOf(endpoint, { max: 3 });
    }, INSTALL_TIMEOUT_MS);
    beforeEach(async () => {
      b = await transactionBench(undisturbed, (_, table) => postgresStore({ pool: watched, table }));
    });
    afterEach(() => {
      beforeStatement = () => undefined;
      cutting.cutAfter(Infinity);
      cutting.refuse(false);
    });
    afterAll(async () => {
      await pool.end();
      await undisturbed.end();
      for (const service of opened.toReversed()) await service.stop();
    });

    async function throughCut(upstream: string): Promise<string> {
      cutting = await startCuttingProxy(upstream);
      opened.push(cutting);
      return cutting.endpoint;
    }

    async function throughBouncer(upstream: string): Promise<string> {
      if (!isBehind) return upstream;
      const bouncer = await startPgBouncer({ upstream, poolSize: 3 });
      opened.push(bouncer);
      return bouncer.endpoint;
    }

    const watched: PostgresPool = {
      async connect() {
        await serverIsBack;
        const client = await pool.connect();
        return Object.assign(Object.create(client) as typeof client, {
          async query(given: SqlStatement | string, values?: unknown[]) {
            beforeStatement(typeof given === 'string' ? given : given.text);
            return client.query(given as string, values);
          },
          release: (isBroken?: boolean) => client.release(isBroken),
        });
      },
    };

    /** Does something before the first of these statements is sent. */
    function once(statement: Statement, act: () => void): void {
      let isDone = false;
      beforeStatement = (text) => {
        if (isDone || !STATEMENTS[statement].test(text)) return;
        isDone = true;
        act();
      };
    }

    /** Writes an effect for each record. At first one claim is taken over meanwhile, and one record is not done. */
    function effects(): { readonly handler: BatchHandler; readonly runs: () => number } {
      let runs = 0;
      let isTaken = false;
      const handler: BatchHandler = (items) =>
        inTransaction(items, async (client: TransactionClient, live) => {
          runs += 1;
          const ids = live.map(({ record }) => (record.body as { id: string }).id);
          const isFirst = live.some(({ context }) => context.attempt === 1);
          for (const id of ids) {
            if (isFirst && id === NOT_DONE) continue;
            await client.query(`INSERT INTO ${b.effects} (id) VALUES ($1)`, [id]);
          }
          if (!isTaken && ids.includes(TAKEN_OVER)) await b.takeOver(TAKEN_OVER);
          isTaken = true;
          return ids.map((id) => (isFirst && id === NOT_DONE ? new Error('not now') : id));
        });
      return { handler, runs: () => runs };
    }

    /** What is completed has its effect, once, and nothing else has one. Gives the ids. */
    async function agreeing(): Promise<string[]> {
      const { rows } = await undisturbed.query<{ id: string }>(
        `SELECT record_id AS id FROM ${b.claims} WHERE status = 'COMPLETED' ORDER BY 1`,
      );
      const ids = rows.map(({ id }) => id);
      expect(await b.allEffects()).toEqual(ids);
      return ids;
    }

    const without = (...ids: string[]): string[] => IDS.filter((id) => !ids.includes(id));

    // One run finds out who was taken over, and one is without it.
    it.each<[Statement, string, number]>([
      ['BEGIN', 'is lost', 2],
      ['BEGIN', 'loses its answer', 2],
      ['the first INSERT', 'is lost', 3],
      ['the first INSERT', 'loses its answer', 3],
      ['the UPDATE of the claims', 'is lost', 3],
      ['the UPDATE of the claims', 'loses its answer', 3],
      ['the UPDATE of the claims', 'loses its answer, because the server is killed', 3],
      ['COMMIT', 'is lost', 3],
      ['COMMIT', 'loses its answer', 2],
      ['COMMIT', 'loses its answer, because the server is killed', 2],
    ])(
      'where %s %s: each effect is there once, and with its completion',
      async (statement, fate, expected) => {
        const { handler, runs } = effects();
        const before = cutting.cuts();
        once(statement, () => {
          if (fate === 'is lost') cutting.loseNextRequest();
          else if (fate === 'loses its answer') cutting.loseNextAnswer();
          else
            cutting.loseNextAnswer(async () => {
              const crashed = server.crash();
              serverIsBack = crashed.then(() => server.startAgain());
              await crashed;
            });
        });
        expect(await b.runMany(handler, IDS)).toEqual([TAKEN_OVER, NOT_DONE]);
        expect(cutting.cuts()).toBe(before + 1);
        expect(runs()).toBe(expected);
        expect(await agreeing()).toEqual(without(TAKEN_OVER, NOT_DONE));

        expect(await b.runMany(handler, IDS)).toEqual([TAKEN_OVER]);
        expect(await agreeing()).toEqual(without(TAKEN_OVER));
      },
    );

    if (!isBehind) {
      it('hands back all of them where nobody can tell in time what became of the COMMIT, and does nothing again that it did', async () => {
        const { handler, runs } = effects();
        once('COMMIT', () => {
          cutting.loseNextAnswer();
          cutting.refuse(true);
        });
        expect(await b.runMany(handler, IDS, { remainingTimeMs: 2_500 })).toEqual(IDS);
        cutting.refuse(false);
        expect(await agreeing()).toEqual(without(TAKEN_OVER, NOT_DONE));
        expect(runs()).toBe(2);
        expect(await b.runMany(handler, without(TAKEN_OVER, NOT_DONE))).toEqual([]);
        expect(runs()).toBe(2);
      });
    }

    it('wherever it breaks, at 40 places: each effect is there once, and with its completion', async () => {
      const handler: BatchHandler = (items) =>
        inTransaction(items, async (client: TransactionClient, live) => {
          for (const { record } of live) {
            await client.query(`INSERT INTO ${b.effects} (id) VALUES ($1)`, [
              (record.body as { id: string }).id,
            ]);
          }
        });
      const all: string[] = [];
      const deliver = async (place: string): Promise<void> => {
        const ids = IDS.slice(0, 5).map((id) => `${place}-${id}`);
        all.push(...ids);
        let waiting: readonly string[] = ids;
        for (let delivery = 0; delivery < 3 && waiting.length > 0; delivery += 1) {
          waiting = await b.runMany(handler, waiting);
          await agreeing();
        }
        expect(waiting).toEqual([]);
      };
      await b.store.inspect('opens the connection');
      // The least of three: what an earlier test left behind, or a second attempt, may pass meanwhile.
      let bytes = Infinity;
      for (const name of ['whol1', 'whol2', 'whol3']) {
        const bytesBefore = cutting.bytes();
        await deliver(name);
        bytes = Math.min(bytes, cutting.bytes() - bytesBefore);
      }
      const before = cutting.cuts();
      // Spread over all of it, and close together at its end, where the COMMIT and its answer are.
      for (let place = 0; place < 20; place += 1) {
        for (const part of ['all', 'end']) {
          const at = part === 'all' ? 1 + Math.floor((place * bytes) / 20) : bytes - 5 * place;
          await b.store.inspect('opens the connection');
          const cutsBefore = cutting.cuts();
          const bytesBefore = cutting.bytes();
          cutting.cutAfter(at, { isAnswerWhole });
          await deliver(`${part}${String(place).padStart(2, '0')}`); // as long as those above: it counts in bytes
          cutting.cutAfter(Infinity);
          // It was shorter than all three on a busy machine: the places after this one are spread over what it takes.
          if (cutting.cuts() === cutsBefore) bytes = Math.min(bytes, cutting.bytes() - bytesBefore);
        }
      }
      expect(cutting.cuts() - before).toBeGreaterThan(35);
      expect(await agreeing()).toEqual(all.toSorted());
    });
  });
}
