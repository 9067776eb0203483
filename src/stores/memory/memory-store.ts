import { type Clock, systemClock } from '../../base/clock.ts';
import { type AdoptOutcome, isAdopted } from '../../claims/adoption.ts';
import { decideOperation } from '../../claims/changes.ts';
import type { ClaimAdmin, ClaimOperation, OperateOutcome } from '../../claims/claim-admin.ts';
import type { Claim } from '../../claims/claim.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  LeaseExtension,
  OwnedClaim,
  SettleOutcome,
  Settlement,
} from '../../claims/claim-store.ts';
import { type CommitOutcome, contentOf } from '../../claims/commit.ts';
import { objectNumber } from '../../claims/pass-on.ts';
import { statusIn } from '../../claims/row-format.ts';
import { asError } from '../../claims/store-errors.ts';
import {
  acquired,
  type ClaimChange,
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  decideAcquire,
  isAlreadySettled,
  isForgotten,
  isOwnedBy,
} from '../../claims/transitions.ts';
import { aFunction, anInteger, type Check, checkOptionsOf, objectWith } from '../../options/check-options.ts';
import { countIn, pageOf } from './list-rows.ts';

/**
 * Options of `memoryStore()`.
 *
 * @typeParam Effect The type of the effects that handlers commit.
 */
export interface MemoryStoreOptions<Effect = unknown> {
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
  /** How long a takeover waits after the lease ends, in milliseconds. Default 0. */
  readonly clockToleranceMs?: number;
  /**
   * Applies an effect that a handler commits, before the completion is stored; for tests of handlers that use
   * `commit`. With `commit` of `batchlatch/dynamodb` the effect is its items. Return an error, such as a
   * `CommitRefusedError`, to refuse the commit: the handler gets it. Throw to simulate a failing store. In
   * both cases neither the effect nor the completion is stored. Default: no `commit`.
   *
   * @param effect The effect that the handler commits.
   */
  readonly onCommit?: (effect: Effect) => Error | undefined | void;
  /**
   * The client that `inTransaction` of `batchlatch/postgres` passes to its function, for tests without a
   * database. `onCommit` is called with it after the function has ended. Default: no `inTransaction`.
   */
  readonly transactionClient?: unknown;
}

const checks: Readonly<Record<keyof MemoryStoreOptions, Check>> = {
  clock: objectWith('now'),
  clockToleranceMs: anInteger(0),
  onCommit: aFunction(),
  transactionClient: { expected: 'anything', accepts: () => true },
};

const FIRST_SWEEP_AT = 1_000;

/** Rows stay in the store; readers get copies. */
type Row = { -readonly [Field in keyof Claim]: Claim[Field] };

/** A claim store with the methods of its admin. */
export interface MemoryStore extends ClaimStore, ClaimAdmin {}

/**
 * Creates a claim store in the memory of this process, for tests, local runs and benchmarks. It keeps the
 * store contract within one process and forgets everything when the process ends, so it is not for
 * production. Throws a `ConfigurationError` for invalid options.
 *
 * @typeParam Effect The type of the effects that handlers commit.
 * @param options Its clock, and how it applies effects.
 */
export function memoryStore<Effect = unknown>(options: MemoryStoreOptions<Effect> = {}): MemoryStore {
  checkOptionsOf('memoryStore', options, checks);
  const { clock = systemClock, clockToleranceMs = 0, onCommit, transactionClient } = options;
  const isTransacted = transactionClient !== undefined;
  const rows = new Map<string, Row>();
  let sweepAt = FIRST_SWEEP_AT;

  /** Deletes forgotten rows whenever the map has twice as many rows as the last sweep left. */
  function sweep(now: number): void {
    if (rows.size < sweepAt) return;
    for (const [key, row] of rows) if (isForgotten(row, now - clockToleranceMs)) rows.delete(key);
    sweepAt = Math.max(FIRST_SWEEP_AT, 2 * rows.size);
  }

  /** Throws for a row of a newer format, which `adopt` may have written. */
  function readable(key: string): Row | undefined {
    const row = rows.get(key);
    if (row !== undefined) statusIn(row.status, key);
    return row;
  }

  function acquireOne(request: ClaimRequest, now: number): AcquireOutcome {
    const decision = decideAcquire(readable(request.key), request, now, clockToleranceMs);
    if ('outcome' in decision) return decision.outcome;
    rows.set(request.key, decision.write);
    return acquired(decision.write, decision.tookOver);
  }

  function settleOne(settlement: Settlement, now: number): SettleOutcome {
    const stored = rows.get(settlement.key);
    // rule: memory-owner-of-end
    if (isOwnedBy(stored, settlement.owner)) {
      change(stored, changeOfSettlement(settlement, now));
      return 'stored';
    }
    return isAlreadySettled(stored, settlement) ? 'stored' : 'lost';
  }

  function extendOne(extension: LeaseExtension): SettleOutcome {
    const stored = rows.get(extension.key);
    // rule: memory-owner-of-extension
    if (!isOwnedBy(stored, extension.owner)) return 'lost';
    const extended = changeOfExtension(extension, clock.now());
    // rule: memory-growing-leases
    if (extended.leaseUntil >= stored.leaseUntil) change(stored, extended);
    return 'stored';
  }

  function startOne({ key, owner }: OwnedClaim): SettleOutcome {
    const stored = rows.get(key);
    // rule: memory-owner-of-start
    if (!isOwnedBy(stored, owner)) return 'lost';
    change(stored, changeOfStart(clock.now()));
    return 'stored';
  }

  function commitOne(completion: Completion, effect: unknown): CommitOutcome {
    const stored = rows.get(completion.key);
    // rule: memory-owner-of-commit
    if (!isOwnedBy(stored, completion.owner)) return isAlreadySettled(stored, completion) ? 'stored' : 'lost';
    try {
      const refused = onCommit?.(contentOf(effect) as Effect);
      if (refused instanceof Error) return { refused };
    } catch (thrown) {
      return { error: asError(thrown) };
    }
    // rule: memory-commit-completes
    return settleOne(completion, clock.now()) === 'stored' ? 'stored' : 'lost';
  }

  function operateOne(operation: ClaimOperation, now: number): OperateOutcome {
    const stored = readable(operation.key);
    const decision = decideOperation(stored && { ...stored }, operation, now, clockToleranceMs);
    if ('outcome' in decision) return decision.outcome;
    if ('forget' in decision) {
      rows.delete(operation.key);
      return { status: 'done' };
    }
    rows.set(operation.key, { ...decision.write });
    return { status: 'done', claim: decision.write };
  }

  function readOne(key: string): Claim | undefined {
    const stored = readable(key);
    return stored === undefined || isForgotten(stored, clock.now()) ? undefined : { ...stored };
  }

  return {
    place: `memory:${objectNumber(rows)}`,
    async acquire(requests) {
      const now = clock.now();
      sweep(now);
      return requests.map(orError(acquireOne, now));
    },
    async settle(settlements) {
      const now = clock.now();
      return settlements.map((settlement) => settleOne(settlement, now));
    },
    extend: async (extensions) => extensions.map(extendOne),
    start: async (claims) => claims.map(startOne),
    ...(isTransacted && { transacted: { kind: 'test', rows: { client: transactionClient } } }),
    ...((onCommit !== undefined || isTransacted) && {
      commit: async (completion: Completion, effect: unknown) => commitOne(completion, effect),
    }),
    inspect: async (key) => readOne(key),
    read: async (key) => readOne(key),
    list: async (query) => pageOf(rows, query, clock.now()),
    count: async (query) => countIn(rows, query, clock.now()),
    async change(changes) {
      return changes.map(orError(operateOne, clock.now()));
    },
    async adopt(claims) {
      const now = clock.now();
      return claims.map((claim): AdoptOutcome => {
        try {
          if (!isAdopted(readable(claim.key), claim, now)) return 'present';
          rows.set(claim.key, { ...claim });
          return 'stored';
        } catch (thrown) {
          return { error: asError(thrown) };
        }
      });
    },
  };
}

/** Turns an error of one item into the outcome of that item. */
function orError<Item, Outcome>(
  decide: (item: Item, now: number) => Outcome,
  now: number,
): (item: Item) => Outcome | { readonly status: 'error'; readonly error: Error } {
  return (item) => {
    try {
      return decide(item, now);
    } catch (thrown) {
      return { status: 'error', error: asError(thrown) };
    }
  };
}

function change(row: Row, changes: ClaimChange): void {
  Object.assign(row, changes);
  for (const field in changes) {
    if (changes[field as keyof ClaimChange] === undefined) delete row[field as keyof Row];
  }
}
