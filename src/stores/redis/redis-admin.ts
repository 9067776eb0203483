import type { AdoptOutcome } from '../../claims/adoption.ts';
import type { Claim } from '../../claims/claim.ts';
import { systemClock } from '../../base/clock.ts';
import { indexesBy } from '../../base/indexes-by.ts';
import { boundedAdmin } from '../../claims/bounded-admin.ts';
import type { ClaimAdmin, ClaimOperation, OperateOutcome } from '../../claims/claim-admin.ts';
import type { ResultStorage } from '../../claims/result-storage.ts';
import { withResultsIn } from '../rows/result-forms.ts';
import { adminOfRows, type RowsAdmin, type RowOperator } from '../rows/admin-of-rows.ts';
import { claimLister } from './claim-lister.ts';
import { toStoreError } from './failures.ts';
import {
  type Clocks,
  MAX_RESULT_BYTES,
  readClaim,
  type RedisStoreOptions,
  REQUEST_SIZE,
  rowsOf,
} from './redis-store.ts';
import { type RedisRows, scriptCaller, type ScriptCaller } from './script-caller.ts';
import { DELETE, READ } from './scripts.ts';
import { FENCED, rowWriter } from './row-writer.ts';
import { type Row, witnessesOf } from './row.ts';

/** Options of `redisAdmin()`: those of the store, and the storage of its long results. */
export interface RedisAdminOptions extends RedisStoreOptions {
  /** The storage given to `resultsIn`, for long results that a person enters. Default: none. */
  readonly results?: ResultStorage;
}

/**
 * Creates an admin of claims in Redis, for `batchlatch/operations`, the monitor and the console. The clock of
 * the server that keeps a claim decides whether it is live or overdue. Each call ends within 60 seconds.
 * Throws a `ConfigurationError` for options that cannot work.
 *
 * @param options The client and the place of the claims, as for `redisStore`.
 *
 * @example
 * const admin = redisAdmin({ client: new Redis('redis://127.0.0.1:6379') });
 * const { count } = await admin.count({ state: 'parked' });
 */
export function redisAdmin(options: RedisAdminOptions): ClaimAdmin {
  return redisAdminBy(options, {});
}

/** Creates an admin with other clocks, for tests. */
export function redisAdminBy({ results, ...options }: RedisAdminOptions, clocks: Clocks): ClaimAdmin {
  const admin = adminOf(rowsOf('redisAdmin', options, clocks));
  return boundedAdmin(withResultsIn(results, admin, MAX_RESULT_BYTES, systemClock), systemClock);
}

function adminOf(rows: RedisRows): ClaimAdmin {
  const { names, clockToleranceMs } = rows;
  const call = scriptCaller(rows);

  async function byServersTime(key: string): Promise<RowsAdmin> {
    const [answer] = await call(READ, [{ key, args: [] }], { isFenced: false, mostRows: 1, waits: false });
    // Also where the key is another program's: the script tells the time all the same.
    const now = answer?.status === 'written' ? undefined : answer?.now;
    if (now === undefined) throw toStoreError(answer?.status === 'error' ? answer.error : 'no answer');
    return adminOfRows({
      operator: rowOperator(call),
      lister: () => claimLister(rows, call),
      clock: { now: () => now },
      clockToleranceMs,
    });
  }

  /** Calls the admin of each slot with the items of the slot, at its server's time. */
  async function bySlots<Item extends { readonly key: string }, Outcome>(
    items: readonly Item[],
    ask: (admin: RowsAdmin, items: readonly Item[]) => Promise<Outcome[]>,
    toOutcome: (error: Error) => Outcome,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const inSlot = async (some: readonly Item[]): Promise<Outcome[]> => {
      try {
        // Keys that Redis cannot store are refused later, each by itself.
        const storable = some.find(({ key }) => key.isWellFormed());
        return await ask(await byServersTime(storable?.key ?? ''), some);
      } catch (thrown) {
        const error = toStoreError(thrown);
        return some.map(() => toOutcome(error));
      }
    };
    await Promise.all(
      [...indexesBy(items, ({ key }) => names.slotOf(key)).values()].map(async (indexes) => {
        const given = await inSlot(indexes.map((index) => items[index] as Item));
        indexes.forEach((index, position) => (outcomes[index] = given[position] as Outcome));
      }),
    );
    return outcomes;
  }

  return {
    requestSize: REQUEST_SIZE,
    read: (key) => readClaim(key, call),
    list: async (query, options) => (await byServersTime('')).list(query, options),
    count: async (query, options) => (await byServersTime('')).count(query, options),
    change: (changes, options) =>
      bySlots<ClaimOperation, OperateOutcome>(
        changes,
        (slot, some) => slot.change(some, options),
        (error) => ({ status: 'error', error }),
      ),
    adopt: (claims, options) =>
      bySlots<Claim, AdoptOutcome>(
        claims,
        (slot, some) => slot.adopt(some, options),
        (error) => ({ error }),
      ),
  };
}

function rowOperator(call: ScriptCaller): RowOperator<Row> {
  return {
    ...rowWriter(call, false),
    delete: (rows, signal) => {
      const items = rows.map((row) => ({ key: row.key, owner: '', args: witnessesOf(row) }));
      return call(DELETE, items, FENCED, signal);
    },
  };
}
