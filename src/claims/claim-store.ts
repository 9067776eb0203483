import type { StopSignal } from '../base/stop.ts';
import type { Claim, StoredError } from './claim.ts';
import type { CommitOutcome } from './commit.ts';

/**
 * Where claims live. Batch-first: every call takes many and answers one outcome each, in order.
 *
 * - One item's failure never fails the others: it is that item's outcome.
 * - A call that rejects as a whole means that nothing is known about any of its items.
 * - Every transition is one atomic conditional write. Of two racing acquires of one key exactly one is
 *   `acquired`; a settlement or an extension is stored only while the row is IN_PROGRESS with the same owner.
 * - A write whose answer was lost may be sent again by a client: a row that already carries the
 *   caller's owner and the wanted end is the caller's own success.
 * - Callers never put two equal keys into one call.
 *
 * `describeClaimStore` (`batchlatch/testing`) is this contract as tests; every store has to pass it.
 */
export interface ClaimStore {
  /** How many items one request to the store carries; callers group by it. Default 25. */
  readonly requestSize?: number;
  /** Equal for stores that keep their claims in one place, such as a table. Default: no other store shares it. */
  readonly place?: string;
  /** The longest result, in UTF-8 bytes of JSON, that a completion can carry. Default: no bound. */
  readonly maxResultBytes?: number;
  /** Where the rows are, for `inTransaction` of `batchlatch/postgres`. Default: a transaction of the handler's cannot complete a claim. */
  readonly transacted?: TransactedRows;

  /**
   * Claims the keys that are free: absent, failed, released, or with a lease that has lapsed. Says of the others what
   * holds them.
   *
   * @param requests One for each key; no two have equal keys.
   * @param options When to give up, and what is wanted besides.
   */
  acquire(requests: readonly ClaimRequest[], options?: StoreCallOptions): Promise<AcquireOutcome[]>;
  /**
   * Ends attempts, on the condition that the row is IN_PROGRESS with the same owner, its lease live or not.
   *
   * @param settlements One for each claim; no two have equal keys.
   * @param options When to give up.
   */
  settle(settlements: readonly Settlement[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Makes leases last longer, never shorter, on the same condition.
   *
   * @param extensions One for each claim; no two have equal keys.
   * @param options When to give up.
   */
  extend(extensions: readonly LeaseExtension[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Notes that handlers start, before they do, on the same condition as an extension. Only what is claimed with
   * `recordsStart` needs it. Stores that leave it out count every lapsed lease as a death.
   *
   * @param claims The claims whose handlers start; no two have equal keys.
   * @param options When to give up.
   */
  start?(claims: readonly OwnedClaim[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Writes an effect and the completion in one transaction: all of it or nothing, on the condition that the
   * row is IN_PROGRESS with the same owner, its lease live or not. What an effect is, each store says for itself, and
   * brings a function that makes it and hands it over (`commit` of `batchlatch/dynamodb`); what is none of its own, and
   * what no transaction can hold, it refuses before anything is sent. Called again with the same completion and effect,
   * because an answer was lost, it is done once. `options.signal` ends the retries, and does not break off a request
   * whose outcome would then not be known. Stores without transactions leave it out.
   *
   * @param completion The claim, and how it is completed.
   * @param effect What is written together with it, in the store's own form.
   * @param options When to stop retrying.
   */
  commit?(completion: Completion, effect: unknown, options?: StoreCallOptions): Promise<CommitOutcome>;
  /**
   * The row of one key as it is stored, also when its lease has lapsed; undefined when absent.
   *
   * @param key The idempotency key.
   */
  inspect(key: string): Promise<Claim | undefined>;
}

/** How many items a request carries where a store does not say. */
export const DEFAULT_REQUEST_SIZE = 25;

/** The rows of a store, for the function that writes them in a transaction of the handler's. */
export interface TransactedRows {
  /** What the rows are, such as `postgres`. */
  readonly kind: string;
  /** The table and the way to it, as the store of this kind knows them. */
  readonly rows: unknown;
}

/** Options of every call of a `ClaimStore`. */
export interface StoreCallOptions {
  /** Once aborted, the store stops retrying and gives up the call. */
  readonly signal?: StopSignal | undefined;
  /**
   * Of `acquire`: the same owners ask again, so that a claim that is given after the call was given up on is still
   * theirs. Stores have nothing to do for it. Default false.
   */
  readonly mayAskAgain?: boolean;
  /**
   * Of `acquire`: duplicates are to bring their results along, wherever these are. Default: results that are elsewhere
   * than in their rows may be left out, which spares a request for each.
   */
  readonly wantsResults?: boolean;
}

/** Asks for one key. */
export interface ClaimRequest {
  /** The idempotency key, at most 2,048 bytes of UTF-8 in DynamoDB. */
  readonly key: string;
  /** Random token of this attempt. */
  readonly owner: string;
  /** Length of the lease in milliseconds, from when the store writes it. */
  readonly leaseMs: number;
  /** How long the row is remembered after its lease, in milliseconds. A settlement says how long after its end. */
  readonly retentionMs: number;
  /** Present when payload validation is on. */
  readonly payloadHash?: string;
  /** Function, version and request id, for a person who reads the row. */
  readonly lockedBy?: string;
  /** Identifies the record to its sender, so that a person finds the claim of a message. */
  readonly recordId?: string;
  /** The attempt will say when its handler starts (`ClaimStore.start`): until then a lapsed lease is no death. */
  readonly recordsStart?: boolean;
  /** A hint that a row very likely exists (receive count above 1): the store may read before it writes. */
  readonly isRedelivery?: boolean;
}

/** What became of one request for a key, told apart by `status`. Times are epoch milliseconds. */
export type AcquireOutcome =
  | {
      /** The caller holds the key. */
      readonly status: 'acquired';
      /** How many times the key has been claimed, this one included: the fencing token. */
      readonly attempt: number;
      /** How many of the attempts before gave the claim back without having started. */
      readonly releases: number;
      /** How many attempts before this one died in a row. */
      readonly crashes: number;
      /** Until when the claim is exclusive, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** The previous attempt died: its lease had lapsed without being settled. */
      readonly tookOver: boolean;
    }
  | {
      /** Another owner holds the key. */
      readonly status: 'conflict';
      /** Until when, in epoch milliseconds. */
      readonly leaseUntil: number;
      /** The other's attempt. */
      readonly attempt: number;
    }
  | {
      /** The key is completed. */
      readonly status: 'duplicate';
      /** What the completion keeps, as JSON text; absent where it keeps nothing, or it was not asked for. */
      readonly result?: string;
      /** When it was completed, in epoch milliseconds. */
      readonly completedAt?: number;
      /** When the completion is forgotten, in epoch milliseconds. Where a store does not tell, no cache keeps it. */
      readonly expiresAt?: number;
    }
  | {
      /** The key failed for good. */
      readonly status: 'parked';
      /** Why; absent where the row does not say. */
      readonly error?: StoredError;
    }
  | {
      /** The key came before with another payload hash. */
      readonly status: 'mismatch';
    }
  | {
      /** The store could not say. */
      readonly status: 'error';
      /** What it failed with. */
      readonly error: Error;
    };

/** A claim, and the token of the attempt that holds it. */
export interface OwnedClaim {
  /** The idempotency key. */
  readonly key: string;
  /** The token that the claim was made with. */
  readonly owner: string;
}

/** What every end of an attempt says. */
export interface SettledClaim extends OwnedClaim {
  /** How long the row is remembered from then on, in milliseconds. */
  readonly retentionMs: number;
}

/** The end of one attempt, told apart by `end`. */
export type Settlement =
  | (SettledClaim & {
      /** The work is done. */
      readonly end: 'complete';
      /** What duplicates get, as JSON text. Default: nothing. */
      readonly result?: string;
      /**
       * Told when the completion is stored without its result, because that cannot be. Where it is absent, the result is
       * needed: a completion whose result can be kept nowhere is refused.
       *
       * @param error Why it cannot be stored.
       */
      readonly onResultDropped?: (error: unknown) => void;
    })
  | (SettledClaim & {
      /** The attempt failed; the key may run again. */
      readonly end: 'fail';
      /** Why. */
      readonly error: StoredError;
    })
  | (SettledClaim & {
      /** Parked for the retention, or until a person releases it. */
      readonly end: 'park';
      /** Why. */
      readonly error: StoredError;
    })
  | (SettledClaim & {
      /** The claim is given back; its handler did not start. */
      readonly end: 'release';
      /** The claim's releases so far, as its acquire gave them; one more is written. */
      readonly releases: number;
    });

/** The settlement of an attempt that succeeded. */
export type Completion = Extract<Settlement, { readonly end: 'complete' }>;

/** Asks for a longer lease. */
export interface LeaseExtension extends OwnedClaim {
  /** The new length of the lease in milliseconds, from when the store writes it. */
  readonly leaseMs: number;
  /** How long the row is remembered after its lease, in milliseconds. */
  readonly retentionMs: number;
}

/** `lost`: the claim is no longer this owner's; nothing was written. */
export type SettleOutcome =
  | 'stored'
  | 'lost'
  | {
      /** What the store failed with; whether it is written is not known. */
      readonly error: Error;
    };
