import type { AdoptOutcome } from './adoption.ts';
import type { Claim, ClaimStatus } from './claim.ts';
import type { StoreCallOptions } from './claim-store.ts';
import type { NewerRow } from './row-format.ts';

/**
 * The state of a claim for people. `in-progress`: its lease is live. `overdue`: its lease has lapsed, and
 * nobody has settled it or taken it over. `failed`: it may run again. `parked`: it waits for a person.
 * `completed`: done.
 */
export type ClaimState = 'in-progress' | 'overdue' | 'failed' | 'parked' | 'completed';

/** A query for claims. */
export interface ClaimQuery {
  /** The state. Default: all states. */
  readonly state?: ClaimState;
  /** The prefix of the keys, such as `orders#` for one namespace. Default: all keys. */
  readonly keyPrefix?: string;
  /** The maximum number of claims per page, from 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** The `next` of the previous page of the same query. */
  readonly cursor?: string;
}

/** A query that counts claims. */
export interface ClaimCountQuery {
  /** The state to count. */
  readonly state: ClaimState;
  /** The `next` of the previous count of the same state. The counts add up. */
  readonly cursor?: string;
}

/** How claims were read, and the cost. */
export interface ClaimReading {
  /** `index`: only rows in the state were read. `scan`: rows of all states were read. */
  readonly readBy: 'index' | 'scan';
  /** The missing index that would have found claims of this state; the table was scanned instead. */
  readonly missingIndex?: string;
  /** The number of rows and index entries read. */
  readonly rowsRead: number;
  /** The cost in the database's own read units, if it reports it. */
  readonly readUnits?: number;
  /** The number of rows left out because they are not claims; absent if there are none. */
  readonly unreadable?: number;
  /** Rows of a newer version of batchlatch that this one cannot read; absent if there are none. */
  readonly newer?: readonly NewerRow[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** A page of claims. It may hold fewer claims than requested, or none, and still not be the last. */
export interface ClaimPage extends ClaimReading {
  /** The claims, in no particular order, without those past their retention. */
  readonly claims: readonly Claim[];
}

/** The number of claims in a state. An index also counts rows past their retention until they are deleted. */
export interface ClaimCount extends ClaimReading {
  /** The number in this part; there may be more if `next` is set. */
  readonly count: number;
  /** The earliest end of a lease of overdue claims, in epoch milliseconds; absent if there are none. */
  readonly oldestLeaseUntil?: number;
}

/**
 * The kind of change. `release`: the key may run again, with attempts counted from 0. `resolve`: it counts as
 * done. `park`: it does not run until a person releases it. `forget`: its row is deleted.
 */
export type OperationKind = 'release' | 'resolve' | 'park' | 'forget';

/** A change of one claim by a person. */
export interface ClaimOperation {
  /** The kind of change. */
  readonly operation: OperationKind;
  /** The idempotency key. */
  readonly key: string;
  /** The claim as the person saw it. It is changed only if it is still the same. */
  readonly seen: Pick<Claim, 'status' | 'owner' | 'attempt'>;
  /** The random token of this change. It becomes the owner, so that the previous owner can settle nothing. */
  readonly owner: string;
  /** The person: at most 128 characters, kept on the claim. */
  readonly operator: string;
  /** The reason: at most 256 characters, kept on the claim. */
  readonly reason: string;
  /** Also changes running and completed claims. The work may then be done twice. Default false. */
  readonly force?: boolean;
  /** For `resolve`: the result for duplicates, as JSON text. Default: none. */
  readonly result?: string;
  /** How long the row is kept from now on, in milliseconds; never shortens its time. */
  readonly retentionMs: number;
}

/** The reason of a refused change. */
export type RefusalReason =
  /** The key has no claim, or its retention is over. */
  | 'absent'
  /** The claim is no longer as the person saw it. */
  | 'changed'
  /** The lease is live: a handler may be running. */
  | 'running'
  /** The claim is completed: another run would repeat its effect. */
  | 'completed';

/** The outcome of a change. */
export type OperateOutcome =
  | {
      /** The change is written. */
      readonly status: 'done';
      /** The claim after the change; absent if it was forgotten. */
      readonly claim?: Claim;
    }
  | {
      /** Nothing was written. */
      readonly status: 'refused';
      /** The reason. */
      readonly why: RefusalReason;
      /** The claim that was found instead. */
      readonly found?: Claim;
    }
  | {
      /** The store failed. Whether the change is written is unknown. */
      readonly status: 'error';
      /** The store's error. */
      readonly error: Error;
    };

/**
 * The operations of people and tools on the claims of a store. `dynamoDBAdmin`, `postgresAdmin` and
 * `redisAdmin` create one; your own store may have one too, which `describeClaimStore` (`batchlatch/testing`)
 * tests.
 *
 * - Every call ends, with a result or a rejection, even if the database never answers.
 * - `list` and `count` read a bounded number of rows per page, and may miss concurrent changes. Every
 *   returned claim was in the state at some moment during the call.
 * - `list` and `count` reject with a `ConfigurationError` for an invalid query or the cursor of another
 *   query.
 * - `change` returns one outcome for each change, in order; keys must differ. Each change is one atomic
 *   conditional write. Repeated after a lost answer, it takes effect once and is `done`, unless somebody
 *   changed the claim in between: then it is `changed`, and the history shows it. A repeated `forget` may be
 *   `absent`.
 * - A changed claim has a new owner: every later write of the attempt that held it is `lost`.
 * - `adopt` copies claims of another store with all their fields and times, and returns one outcome for each,
 *   in order; keys must differ. Each is one atomic conditional write that loses no newer state of the row
 *   (`claims/adoption.ts`). Without `adopt`, nothing can be copied into the store.
 */
export interface ClaimAdmin {
  /** The maximum number of claims in one call of `change` or `adopt`. Default: 100. */
  readonly requestSize?: number;
  /**
   * Lists claims, page by page.
   *
   * @param query The claims to list, and the page size.
   * @param options When to give up.
   */
  list(query: ClaimQuery, options?: StoreCallOptions): Promise<ClaimPage>;
  /**
   * Counts claims in a state, page by page, and reads no more of them than needed.
   *
   * @param query The claims to count.
   * @param options When to give up.
   */
  count(query: ClaimCountQuery, options?: StoreCallOptions): Promise<ClaimCount>;
  /**
   * Returns the stored claim of a key, also with a lapsed lease; undefined if it is absent or past its
   * retention.
   *
   * @param key The idempotency key.
   * @param options When to give up.
   */
  read(key: string, options?: StoreCallOptions): Promise<Claim | undefined>;
  /**
   * Changes claims, each only if it is still as it was seen.
   *
   * @param changes The changes, without equal keys.
   * @param options When to give up.
   */
  change(changes: readonly ClaimOperation[], options?: StoreCallOptions): Promise<OperateOutcome[]>;
  /**
   * Copies claims of another store, each unless its key has a row that is not an earlier state of the claim.
   *
   * @param claims The claims with all their fields, without equal keys.
   * @param options When to give up.
   */
  adopt?(claims: readonly Claim[], options?: StoreCallOptions): Promise<AdoptOutcome[]>;
}

/**
 * Returns the state of a claim at a time.
 *
 * @param claim Its status and its lease.
 * @param now The time, in epoch milliseconds.
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
