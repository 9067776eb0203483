import type { StoredError } from '../claims/claim.ts';
import { ConfigurationError } from '../base/errors.ts';

/**
 * The state of a row. `waiting`: a relay sends it. `parked`: it could not be sent, and it holds its message
 * group until a person releases or drops it. `dropped`: a person decided that it is not sent.
 */
export type OutboxState = 'waiting' | 'parked' | 'dropped';

/** A row of an outbox, as people see it. A sent row is deleted. */
export interface OutboxEntry {
  /** The outbox id: the attribute `outboxId` of the message. */
  readonly outboxId: string;
  /** The type of the message. */
  readonly type: string;
  /** The state. */
  readonly state: OutboxState;
  /** Changes whenever the row parks or a person changes it. */
  readonly version: string;
  /** The message group; absent if it has none. */
  readonly group?: string;
  /** When its transaction began, in epoch milliseconds. */
  readonly createdAt: number;
  /** When it parked or was changed, in epoch milliseconds; absent before. */
  readonly changedAt?: number;
  /** How often it could not be sent. */
  readonly tries: number;
  /** The error of the last try; absent before the first. */
  readonly error?: StoredError;
  /** The bytes of its body in the row. */
  readonly bodyBytes: number;
  /** The body, if the query asked for bodies: JSON text, or a pointer to S3. */
  readonly body?: string;
  /** The changes of people, the oldest first. */
  readonly history: readonly OutboxHistoryEntry[];
}

/** A change of a row by a person. */
export interface OutboxHistoryEntry {
  /** The time, in epoch milliseconds. */
  readonly at: number;
  /** The kind of change. */
  readonly operation: OutboxOperation;
  /** The person who made it. */
  readonly operator: string;
  /** The reason, in the person's words. */
  readonly reason: string;
}

/** The kind of change. `release`: the row is sent. `drop`: it is not sent, and holds its group no longer. */
export type OutboxOperation = 'release' | 'drop';

/** A query for rows. */
export interface OutboxQuery {
  /** The state. Default: `parked` and `waiting` rows, the parked ones first. */
  readonly state?: OutboxState;
  /** The outbox ids of rows. Default: all rows. */
  readonly outboxIds?: readonly string[];
  /** Whether to read bodies too. Default: false. */
  readonly bodies?: boolean;
  /** The maximum number of rows per page, from 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** The `next` of the previous page of the same query. */
  readonly cursor?: string;
}

/** A page of rows. It may hold fewer rows than requested, or none, and still not be the last. */
export interface OutboxPage {
  /** The rows, the parked ones first, and those of a state the oldest first as far as the database can. */
  readonly entries: readonly OutboxEntry[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** How many rows wait, and since when. */
export interface OutboxCount {
  /** Rows that wait for a relay, up to 10,000: then there may be more. */
  readonly waiting: number;
  /** Rows that wait for a person, up to 10,000. */
  readonly parked: number;
  /** When the oldest waiting row was created, in epoch milliseconds; absent if there is none. */
  readonly oldestWaitingAt?: number;
  /** When the oldest parked row was created, in epoch milliseconds; absent if there is none. */
  readonly oldestParkedAt?: number;
}

/** A change of one row by a person. */
export interface OutboxChange {
  /** The kind of change. */
  readonly operation: OutboxOperation;
  /** The row as the person saw it. It is changed only if it is still the same. */
  readonly seen: Pick<OutboxEntry, 'outboxId' | 'state' | 'version'>;
  /** The random token of this change. It becomes the row's version: a repeated change is made once. */
  readonly token: string;
  /** The person: at most 128 characters, kept on the row. */
  readonly operator: string;
  /** The reason: at most 256 characters, kept on the row. */
  readonly reason: string;
}

/** The outcome of a change. */
export type OutboxChangeOutcome =
  | {
      /** The change is written. The row may be sent and gone already. */
      readonly status: 'done';
    }
  | {
      /** Nothing was written. */
      readonly status: 'refused';
      /**
       * `absent`: there is no such row; it may be sent. `changed`: it is no longer as the person saw it.
       * `waiting`: a relay may be sending it, so only parked and dropped rows can be changed.
       */
      readonly why: 'absent' | 'changed' | 'waiting';
    };

/**
 * The operations of people and tools on the rows of an outbox. `postgresOutboxAdmin` creates one.
 *
 * - Every call ends, with a result or a `StoreError`.
 * - `list` reads bodies only if asked to.
 * - `change` returns one outcome for each change, in order; outbox ids must differ. Each is one atomic
 *   conditional write. Repeated after a lost answer, it takes effect once and is `done`, or `absent` if the
 *   row was sent in between.
 * - A dropped row is kept for 14 days, with who dropped it and why, and can be released in that time. Behind
 *   rows of its group that were sent meanwhile, it is out of order.
 */
export interface OutboxAdmin {
  /**
   * Lists rows, page by page.
   *
   * @param query The rows to list, and the page size.
   * @param options When to give up.
   */
  list(query?: OutboxQuery, options?: OutboxCallOptions): Promise<OutboxPage>;
  /**
   * Counts rows, and returns the age of the oldest.
   *
   * @param options When to give up.
   */
  count(options?: OutboxCallOptions): Promise<OutboxCount>;
  /**
   * Changes rows, each only if it is still as it was seen.
   *
   * @param changes The changes, without equal outbox ids.
   * @param options When to give up.
   */
  change(
    changes: readonly OutboxChange[],
    options?: OutboxCallOptions,
  ): Promise<readonly OutboxChangeOutcome[]>;
}

/** Options of a call. */
export interface OutboxCallOptions {
  /** Once aborted, the call no longer waits. */
  readonly signal?: AbortSignal;
}

/** The most rows that `count()` of an `OutboxAdmin` counts in each state: 10,000. */
export const MOST_COUNTED = 10_000;
const MOST_LISTED = 1_000;
const LONGEST_OPERATOR = 128;
const LONGEST_REASON = 256;

/** Returns the page size of a query. Throws a `ConfigurationError` for an impossible one. */
export function limitOf({ limit = 100 }: OutboxQuery): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED) return limit;
  throw new ConfigurationError(
    `Expected \`limit\` to be an integer from 1 to ${MOST_LISTED}, got \`${limit}\``,
  );
}

/** Throws a `ConfigurationError` for a change without a person or a reason, and for two of one row. */
export function assertChanges(changes: readonly OutboxChange[]): void {
  for (const { operator, reason } of changes) {
    assertText('operator', operator, LONGEST_OPERATOR);
    assertText('reason', reason, LONGEST_REASON);
  }
  if (new Set(changes.map(({ seen }) => seen.outboxId)).size < changes.length) {
    throw new ConfigurationError('Expected the changes to be of different rows');
  }
}

function assertText(name: string, text: string, most: number): void {
  if (typeof text === 'string' && text !== '' && text.length <= most && !CONTROLS.test(text)) return;
  throw new ConfigurationError(
    `Expected \`${name}\` to be 1 to ${most} characters without control characters`,
  );
}

const CONTROLS = /\p{Cc}/u;
