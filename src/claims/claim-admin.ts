import type { AdoptOutcome } from './adoption.ts';
import type { Claim, ClaimStatus } from './claim.ts';
import type { StoreCallOptions } from './claim-store.ts';
import type { NewerRow } from './row-format.ts';

/**
 * How a claim stands for a person. `in-progress`: its lease is live. `overdue`: its lease has lapsed and nobody has
 * settled it or taken it over. `failed`: it may run again. `parked`: it waits for a person. `completed`: it is done.
 */
export type ClaimState = 'in-progress' | 'overdue' | 'failed' | 'parked' | 'completed';

/** Which claims are listed. */
export interface ClaimQuery {
  /** Default: all states. */
  readonly state?: ClaimState;
  /** Only keys that begin with this, such as `orders#`, the keys of one namespace. Default: all keys. */
  readonly keyPrefix?: string;
  /** The most claims of a page, from 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** `next` of the page before, of a query that is the same otherwise. */
  readonly cursor?: string;
}

/** Which claims are counted. */
export interface ClaimCountQuery {
  /** The state that they are in. */
  readonly state: ClaimState;
  /** `next` of the count before, of the same state; the counts add up. */
  readonly cursor?: string;
}

/** How claims were found, and what it cost. */
export interface ClaimReading {
  /** `index`: only the rows that are in the state were read. `scan`: rows of every state were. */
  readonly readBy: 'index' | 'scan';
  /** The index that would have found the claims of this state, where the table lacks it and so was scanned. */
  readonly missingIndex?: string;
  /** How many rows, and entries of the index, were read. */
  readonly rowsRead: number;
  /** What the database charges for it, in its own read units, where it says. */
  readonly readUnits?: number;
  /** How many rows were left out because they are no claims; absent where there are none. */
  readonly unreadable?: number;
  /** Rows that a newer version of batchlatch wrote, and that this one cannot read; absent where there are none. */
  readonly newer?: readonly NewerRow[];
  /** Where to go on; absent when there is no more. */
  readonly next?: string;
}

/** Some claims of a query. A page may hold fewer than asked for, or none, and still not be the last. */
export interface ClaimPage extends ClaimReading {
  /** In no order that is promised. Claims that are past their retention are not among them. */
  readonly claims: readonly Claim[];
}

/** How many claims are in a state. Where an index is counted, rows that are past their retention and not deleted yet count too. */
export interface ClaimCount extends ClaimReading {
  /** Of what was read; more where there is a `next`. */
  readonly count: number;
  /** Of overdue claims: the earliest end of a lease, in epoch milliseconds; absent where there are none. */
  readonly oldestLeaseUntil?: number;
}

/**
 * What a person does to a claim. `release`: the key may run again, its attempts counted from 0. `resolve`: it counts as
 * done. `park`: it does not run until a person releases it. `forget`: its row is deleted.
 */
export type OperationKind = 'release' | 'resolve' | 'park' | 'forget';

/** One change of one claim by a person. */
export interface ClaimOperation {
  /** What is done. */
  readonly operation: OperationKind;
  /** The idempotency key. */
  readonly key: string;
  /** The claim as the person saw it; it is changed only if it is still the same. */
  readonly seen: Pick<Claim, 'status' | 'owner' | 'attempt'>;
  /** Random token of this change. The row gets it for its owner, so that whoever held the claim can settle nothing any more. */
  readonly owner: string;
  /** Who does it: at most 128 characters, kept on the claim. */
  readonly operator: string;
  /** Why: at most 256 characters, kept on the claim. */
  readonly reason: string;
  /** Also a claim whose lease is live, and one that is completed. The work may then be done twice. Default false. */
  readonly force?: boolean;
  /** Of `resolve`: the result that duplicates get, as JSON text. Default: none. */
  readonly result?: string;
  /** How long the row is remembered from now on, in milliseconds; longer if it would have been already. */
  readonly retentionMs: number;
}

/** Why a change was refused. */
export type RefusalReason =
  /** There is no claim of this key, or its retention is over. */
  | 'absent'
  /** It is no longer as the person saw it. */
  | 'changed'
  /** Its lease is live: a handler may be running. */
  | 'running'
  /** It is completed: to run it again would repeat its effect. */
  | 'completed';

/** What became of one change. */
export type OperateOutcome =
  | {
      /** It is written. */
      readonly status: 'done';
      /** As it is now; absent once it is forgotten. */
      readonly claim?: Claim;
    }
  | {
      /** Nothing was written. */
      readonly status: 'refused';
      /** Why. */
      readonly why: RefusalReason;
      /** The claim as it was found instead. */
      readonly found?: Claim;
    }
  | {
      /** The store could not do it; whether it is written is not known. */
      readonly status: 'error';
      /** What it failed with. */
      readonly error: Error;
    };

/**
 * What people and tools do with the claims of a store: `dynamoDBAdmin`, `postgresAdmin` and `redisAdmin` make one, beside the
 * store that processors use. A store of your own may have one too; `describeClaimStore` (`batchlatch/testing`) tests it.
 *
 * - Each call ends, also where the database never answers: with what is known, or a rejection.
 * - `list` and `count` read a bounded number of rows for each page, and may miss what changes meanwhile. A claim that is
 *   given was in the state at some moment during the call.
 * - `list` and `count` reject with a `ConfigurationError` for a query that cannot be, and for a cursor of another query.
 * - `change` answers one outcome for each change, in order, and no key stands twice in one call. Each change is one atomic
 *   conditional write. A change that is sent again because its answer was lost is done once, and `done`, unless somebody
 *   changed the claim in between: then it is `changed`, and the claim's history shows it. A `forget` that the caller sends
 *   again may find nothing any more, and is `absent`.
 * - A claim that was changed has a new owner: every later write of the attempt that held it is `lost`.
 * - `adopt` writes claims of another store with all that they have, by the times that they have, and answers one outcome for
 *   each, in order. No key stands twice in one call. Each is one atomic conditional write: what the key's row is meanwhile
 *   is never lost. `claims/adoption.ts` has the rule. Without it, nothing can be copied into the store.
 */
export interface ClaimAdmin {
  /** The most claims of one call of `change` or `adopt`. Default: 100. */
  readonly requestSize?: number;
  /**
   * Lists claims, page by page.
   *
   * @param query Which claims, and how many of them at once.
   * @param options When to give up.
   */
  list(query: ClaimQuery, options?: StoreCallOptions): Promise<ClaimPage>;
  /**
   * Counts claims in a state, page by page, without reading more of them than is needed.
   *
   * @param query Which claims.
   * @param options When to give up.
   */
  count(query: ClaimCountQuery, options?: StoreCallOptions): Promise<ClaimCount>;
  /**
   * The claim of a key as it is stored, also when its lease has lapsed; undefined where there is none, or its retention is over.
   *
   * @param key The idempotency key.
   * @param options When to give up.
   */
  read(key: string, options?: StoreCallOptions): Promise<Claim | undefined>;
  /**
   * Changes claims for a person, each on the condition that it is still as it was seen.
   *
   * @param changes One for each claim; no two have equal keys.
   * @param options When to give up.
   */
  change(changes: readonly ClaimOperation[], options?: StoreCallOptions): Promise<OperateOutcome[]>;
  /**
   * Writes claims of another store as they are, each unless its key has a row that is not an earlier state of it.
   *
   * @param claims The claims, with all that they have; no two have equal keys.
   * @param options When to give up.
   */
  adopt?(claims: readonly Claim[], options?: StoreCallOptions): Promise<AdoptOutcome[]>;
}

/**
 * The state of a claim at a time in epoch milliseconds.
 *
 * @param claim Its status and its lease.
 * @param now In epoch milliseconds.
 */
export function stateOf(
  { status, leaseUntil }: Pick<Claim, 'status' | 'leaseUntil'>,
  now: number,
): ClaimState {
  return status === 'IN_PROGRESS' && leaseUntil <= now ? 'overdue' : STATES[status];
}

const STATES = {
  IN_PROGRESS: 'in-progress',
  FAILED: 'failed',
  PARKED: 'parked',
  COMPLETED: 'completed',
} as const satisfies Record<ClaimStatus, ClaimState>;
