import type { StopSignal } from '../base/stop.ts';
import type { Claim, StoredError } from './claim.ts';
import type { CommitOutcome } from './commit.ts';

/**
 * The store of claims. Every call takes many items and returns one outcome for each, in order.
 *
 * - The failure of one item is that item's outcome, and never fails the others.
 * - If a call rejects, nothing is known about any of its items.
 * - Every transition is one atomic conditional write. Of two racing acquires of one key exactly one is
 *   `acquired`. A settlement or extension is stored only while the row is IN_PROGRESS with the same owner.
 * - A client may repeat a write whose answer was lost. A row that already has the caller's owner and the
 *   wanted end is the caller's own success.
 * - Callers never put two equal keys into one call.
 *
 * `describeClaimStore` (`batchlatch/testing`) tests this contract; every store has to pass it.
 */
export interface ClaimStore {
  /** The most items of one `acquire` or `settle`. `start` and `extend` may get more. Default 25. */
  readonly requestSize?: number;
  /** Equal for stores that share their claims, such as in one table. Default: no other store shares them. */
  readonly place?: string;
  /** The longest result of a completion, in UTF-8 bytes of JSON. Default: no limit. */
  readonly maxResultBytes?: number;
  /** The rows, for `inTransaction` of `batchlatch/postgres`. Default: transactions cannot complete claims. */
  readonly transacted?: TransactedRows;

  /**
   * Claims the keys that are absent, failed, released or have a lapsed lease. The other outcomes say what
   * holds the key.
   *
   * @param requests The requests, without equal keys.
   * @param options When to give up, and further wishes.
   */
  acquire(requests: readonly ClaimRequest[], options?: StoreCallOptions): Promise<AcquireOutcome[]>;
  /**
   * Ends attempts if the row is IN_PROGRESS with the same owner, even if the lease has lapsed.
   *
   * @param settlements The settlements, without equal keys.
   * @param options When to give up.
   */
  settle(settlements: readonly Settlement[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Extends leases, on the same condition as `settle`. Never shortens one.
   *
   * @param extensions The extensions, without equal keys.
   * @param options When to give up.
   */
  extend(extensions: readonly LeaseExtension[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Notes that handlers are about to start, on the same condition. Needed only for claims with
   * `recordsStart`. A store without it counts every lapsed lease as a crash.
   *
   * @param claims The claims whose handlers start, without equal keys.
   * @param options When to give up.
   */
  start?(claims: readonly OwnedClaim[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Writes an effect and the completion in one transaction, or neither, if the row is IN_PROGRESS with the
   * same owner, even if the lease has lapsed. Each store defines its effects and the function that creates
   * them (`commit` of `batchlatch/dynamodb`). It refuses other effects, and those that no transaction can
   * hold, before it sends anything. A repeated call with the same completion and effect, after a lost answer,
   * takes effect once. `options.signal` ends retries but not a pending request, whose outcome would be
   * unknown. Absent in stores without transactions.
   *
   * @param completion The claim and its completion.
   * @param effect The effect, in the store's own form.
   * @param options When to stop retrying.
   */
  commit?(completion: Completion, effect: unknown, options?: StoreCallOptions): Promise<CommitOutcome>;
  /**
   * Returns the stored row of a key, also with a lapsed lease; undefined if absent.
   *
   * @param key The idempotency key.
   */
  inspect(key: string): Promise<Claim | undefined>;
}

/** The number of items in a request if the store does not set one. */
export const DEFAULT_REQUEST_SIZE = 25;

/** The rows of a store, for the function that writes them in a handler's transaction. */
export interface TransactedRows {
  /** The kind of store, such as `postgres`. */
  readonly kind: string;
  /** The table and the connection, in the form of that kind of store. */
  readonly rows: unknown;
}

/** The options of every call of a `ClaimStore`. */
export interface StoreCallOptions {
  /** When aborted, the store stops retrying and gives up the call. */
  readonly signal?: StopSignal | undefined;
  /**
   * For `acquire`: the same owners will ask again, so a claim that is granted after the call was given up is
   * still theirs. Stores ignore it. Default false.
   */
  readonly mayAskAgain?: boolean;
  /**
   * For `acquire`: duplicates must include their results, wherever they are stored. By default results
   * outside the row may be omitted, which saves a request each.
   */
  readonly wantsResults?: boolean;
}

/** A request for one key. */
export interface ClaimRequest {
  /** The idempotency key, at most 2,048 bytes of UTF-8 in DynamoDB. */
  readonly key: string;
  /** The random token of this attempt. */
  readonly owner: string;
  /** The length of the lease in milliseconds, from the store's write. */
  readonly leaseMs: number;
  /** How long the row is kept after its lease, in milliseconds. A settlement sets the time after its end. */
  readonly retentionMs: number;
  /** Present if payload validation is on. */
  readonly payloadHash?: string;
  /** Function, version and request id, for people who read the row. */
  readonly lockedBy?: string;
  /** The sender's id of the record, so that people find the claim of a message. */
  readonly recordId?: string;
  /** The attempt calls `ClaimStore.start` before its handler; until then a lapsed lease is no crash. */
  readonly recordsStart?: boolean;
  /** A hint that the row probably exists (receive count above 1): the store may read before it writes. */
  readonly isRedelivery?: boolean;
}

/** The outcome of a request for a key. Times are epoch milliseconds. */
export type AcquireOutcome =
  | {
      /** The caller holds the key. */
      readonly status: 'acquired';
      /** The fencing token: how many times the key was claimed, this time included. */
      readonly attempt: number;
      /** How many earlier attempts released the claim before they started. */
      readonly releases: number;
      /** How many attempts before this one crashed in a row. */
      readonly crashes: number;
      /** The end of the exclusive claim, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** The previous attempt crashed: its lease lapsed and nothing was settled. */
      readonly tookOver: boolean;
    }
  | {
      /** Another owner holds the key. */
      readonly status: 'conflict';
      /** The end of its lease, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** Its attempt. */
      readonly attempt: number;
    }
  | {
      /** The key is completed. */
      readonly status: 'duplicate';
      /** The stored result, as JSON text; absent if there is none or it was not requested. */
      readonly result?: string;
      /** The time of completion, in epoch milliseconds. */
      readonly completedAt?: number;
      /** When the completion is forgotten, in epoch milliseconds. Caches skip completions without it. */
      readonly expiresAt?: number;
    }
  | {
      /** The key failed permanently. */
      readonly status: 'parked';
      /** The cause; absent if the row has none. */
      readonly error?: StoredError;
    }
  | {
      /** The key came before with another payload hash. */
      readonly status: 'mismatch';
    }
  | {
      /** The store could not answer. */
      readonly status: 'error';
      /** The store's error. */
      readonly error: Error;
    };

/** A claim and the token of its owner. */
export interface OwnedClaim {
  /** The idempotency key. */
  readonly key: string;
  /** The token that the claim was made with. */
  readonly owner: string;
}

/** The part that all settlements share. */
export interface SettledClaim extends OwnedClaim {
  /** How long the row is kept from now on, in milliseconds. */
  readonly retentionMs: number;
}

/** The end of an attempt. */
export type Settlement =
  | (SettledClaim & {
      /** The work is done. */
      readonly end: 'complete';
      /** The result for duplicates, as JSON text. Default: none. */
      readonly result?: string;
      /**
       * Called when the completion is stored without its result because the result could not be stored. If
       * absent, the result is required: a completion whose result cannot be stored is refused.
       *
       * @param error Why it cannot be stored.
       */
      readonly onResultDropped?: (error: unknown) => void;
    })
  | (SettledClaim & {
      /** The attempt failed; the key may run again. */
      readonly end: 'fail';
      /** The cause. */
      readonly error: StoredError;
    })
  | (SettledClaim & {
      /** The key is parked for the retention, or until a person releases it. */
      readonly end: 'park';
      /** The cause. */
      readonly error: StoredError;
    })
  | (SettledClaim & {
      /** The claim is released; its handler did not start. */
      readonly end: 'release';
      /** The releases so far, as returned by the acquire; one more is written. */
      readonly releases: number;
    });

/** The settlement of an attempt that succeeded. */
export type Completion = Extract<Settlement, { readonly end: 'complete' }>;

/** A request for a longer lease. */
export interface LeaseExtension extends OwnedClaim {
  /** The new length of the lease in milliseconds, from the store's write. */
  readonly leaseMs: number;
  /** How long the row is kept after its lease, in milliseconds. */
  readonly retentionMs: number;
}

/** The outcome of a settlement or extension. `lost`: another owner has the claim, and nothing was written. */
export type SettleOutcome =
  | 'stored'
  | 'lost'
  | {
      /** The store's error. Whether the write happened is unknown. */
      readonly error: Error;
    };
