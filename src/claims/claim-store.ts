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

  /**
   * Claims the keys that are free: absent, failed, released, or with a lease that has lapsed. Says of the others what
   * holds them.
   */
  acquire(requests: readonly ClaimRequest[], options?: StoreCallOptions): Promise<AcquireOutcome[]>;
  /** Ends attempts, on the condition that the row is IN_PROGRESS with the same owner, its lease live or not. */
  settle(settlements: readonly Settlement[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /** Makes leases last longer, never shorter, on the same condition. */
  extend(extensions: readonly LeaseExtension[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Notes that handlers start, before they do, on the same condition as an extension. Only what is claimed with
   * `recordsStart` needs it. Stores that leave it out count every lapsed lease as a death.
   */
  start?(claims: readonly OwnedClaim[], options?: StoreCallOptions): Promise<SettleOutcome[]>;
  /**
   * Writes an effect and the completion in one transaction: all of it or nothing, on the condition that the
   * row is IN_PROGRESS with the same owner, its lease live or not. What an effect is, each store says for itself, and
   * brings a function that makes it and hands it over (`commit` of `batchlatch/dynamodb`); what is none of its own, and
   * what no transaction can hold, it refuses before anything is sent. Called again with the same completion and effect,
   * because an answer was lost, it is done once. `options.signal` ends the retries, and does not break off a request
   * whose outcome would then not be known. Stores without transactions leave it out.
   */
  commit?(completion: Completion, effect: unknown, options?: StoreCallOptions): Promise<CommitOutcome>;
  /** The row of one key as it is stored, also when its lease has lapsed; undefined when absent. */
  inspect(key: string): Promise<Claim | undefined>;
}

/** How many items a request carries where a store does not say. */
export const DEFAULT_REQUEST_SIZE = 25;

/** Options of every call of a `ClaimStore`. */
export interface StoreCallOptions {
  /** Once aborted, the store stops retrying and gives up the call. */
  readonly signal?: AbortSignal;
  /**
   * Of `acquire`: the same owners ask again, so that a claim that is given after the call was given up on is still
   * theirs. Stores have nothing to do for it.
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

/**
 * What became of one request for a key. `leaseUntil`, `completedAt` and `expiresAt` are epoch milliseconds.
 *
 * - `acquired`: the caller holds the key. `attempt` is the fencing token; `releases` and `crashes` are those before it.
 * - `conflict`: another owner holds it until `leaseUntil`.
 * - `duplicate`: it is completed, with this result.
 * - `parked`: it failed for good.
 * - `mismatch`: it came before with another payload hash.
 * - `error`: the store could not say.
 */
export type AcquireOutcome =
  | {
      readonly status: 'acquired';
      readonly attempt: number;
      readonly releases: number;
      readonly crashes: number;
      readonly leaseUntil: number;
      /** The previous attempt died: its lease had lapsed without being settled. */
      readonly tookOver: boolean;
    }
  | { readonly status: 'conflict'; readonly leaseUntil: number; readonly attempt: number }
  | {
      readonly status: 'duplicate';
      readonly result?: string;
      readonly completedAt?: number;
      /** When the completion is forgotten. Where a store does not tell, no cache keeps it. */
      readonly expiresAt?: number;
    }
  | { readonly status: 'parked'; readonly error?: StoredError }
  | { readonly status: 'mismatch' }
  | { readonly status: 'error'; readonly error: Error };

/** A claim, and the token of the attempt that holds it. */
export interface OwnedClaim {
  /** The idempotency key. */
  readonly key: string;
  /** The token that the claim was made with. */
  readonly owner: string;
}

/** The end of one attempt. `retentionMs` is how long the row is remembered from then on, in milliseconds. */
export type Settlement = OwnedClaim &
  (
    | {
        readonly end: 'complete';
        readonly result?: string;
        readonly retentionMs: number;
        /**
         * Told when the completion is stored without its result, because that cannot be. Where it is absent, the result is
         * needed: a completion whose result can be kept nowhere is refused.
         */
        readonly onResultDropped?: (error: unknown) => void;
      }
    | { readonly end: 'fail'; readonly error: StoredError; readonly retentionMs: number }
    /** Parked for the retention, or until a person releases it. */
    | { readonly end: 'park'; readonly error: StoredError; readonly retentionMs: number }
    | {
        readonly end: 'release';
        /** The claim's releases so far, as its acquire gave them; one more is written. */
        readonly releases: number;
        readonly retentionMs: number;
      }
  );

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
export type SettleOutcome = 'stored' | 'lost' | { readonly error: Error };
