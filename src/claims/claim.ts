import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import { thrownFields, redactQuotes } from '../base/thrown-fields.ts';

/** How a claim stands. "Absent" is the fifth state: no row, or a row whose retention is over. */
export type ClaimStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'PARKED';

/** What is kept of an error: enough for a person to judge, never a body. */
export interface StoredError {
  /** Such as `TypeError`; `NonError` for what is no `Error`. */
  readonly name: string;
  /** At most 512 characters, without what JavaScript quotes of a body. */
  readonly message: string;
  /** The error's `code`, where that is a string. */
  readonly code?: string;
}

/** The stored row for one idempotency key: who runs it, until when, and how it ended. All times are epoch milliseconds. */
export interface Claim {
  /** The idempotency key. */
  readonly key: string;
  /** How the claim stands. */
  readonly status: ClaimStatus;
  /** Random token of the attempt that wrote the row last; it stays after the claim is completed. */
  readonly owner: string;
  /** How many times the key has been claimed while the row lives. It only grows: the fencing token. */
  readonly attempt: number;
  /** How many of those attempts were given back before they started. They do not count towards `maxAttempts`. */
  readonly releases: number;
  /** How many attempts in a row died without settling (their lease lapsed). A settled failure sets it to 0. */
  readonly crashes: number;
  /**
   * Whether the handler of this attempt has started, where attempts record it (`ClaimRequest.recordsStart`). A lapsed
   * lease of one that never started is no death. Absent: it counts as started.
   */
  readonly started?: boolean;
  /** Until when the owner's claim is exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
  /**
   * When the row is forgotten, in epoch milliseconds; stores round it up to what their TTL can express. Every row
   * that is written here has one; one that Powertools wrote may have none.
   */
  readonly expiresAt?: number;
  /** When the key was claimed first while the row lives, in epoch milliseconds. */
  readonly createdAt: number;
  /** When the row was written last, in epoch milliseconds. */
  readonly updatedAt: number;
  /** When it was completed, in epoch milliseconds; absent otherwise. */
  readonly completedAt?: number;
  /** Function, version and request id of the attempt, for a person who reads the row. */
  readonly lockedBy?: string;
  /** What payload validation compares; absent without it. */
  readonly payloadHash?: string;
  /** What the handler returned, as JSON text. */
  readonly result?: string;
  /** Why the last attempt failed, of FAILED and PARKED claims. */
  readonly error?: StoredError;
  /** Identifies the record that claimed the key last to its sender. Absent where the key ends with it, and for calls. */
  readonly recordId?: string;
  /**
   * When the last attempt claimed the key, in epoch milliseconds. Absent for the first attempt: that is `createdAt`.
   */
  readonly claimedAt?: number;
  /** The last ten changes that people made, oldest first; absent where there are none. Later attempts keep it. */
  readonly history?: readonly OperatorChange[];
}

/** One change of a claim by a person. */
export interface OperatorChange {
  /** When, in epoch milliseconds. */
  readonly at: number;
  /** What was done. */
  readonly operation: 'release' | 'resolve' | 'park' | 'forget';
  /** Who did it. */
  readonly operator: string;
  /** Why, in the person's words. */
  readonly reason: string;
  /** How the claim stood before. */
  readonly from: Pick<Claim, 'status' | 'owner' | 'attempt' | 'error'>;
}

/** How many attempts count: those that were given back before they started do not. */
export function countedAttempts({ attempt, releases }: Pick<Claim, 'attempt' | 'releases'>): number {
  return attempt - releases;
}

const LONGEST_STORED_MESSAGE = 512;

/**
 * Bounds an error to what a row, a dead letter or a log should hold, without what JavaScript quotes of a body; a `key`
 * that it names is hashed. Anything that was thrown is accepted, even what cannot be read.
 */
export function toStoredError(thrown: unknown, key: string = ''): StoredError {
  try {
    return wordsOf(thrown, (text) => clip(text, key));
  } catch {
    return { name: 'NonError', message: 'a value that cannot be read' }; // a revoked proxy, a getter that throws
  }
}

function wordsOf(thrown: unknown, bounded: (text: unknown) => string): StoredError {
  const code =
    isObject(thrown) && 'code' in thrown && typeof thrown.code === 'string'
      ? bounded(thrown.code)
      : undefined;
  const words =
    thrown instanceof Error
      ? { name: bounded(thrown.name), message: bounded(thrown.message) }
      : { name: 'NonError', message: bounded(thrownFields(thrown) ?? thrown) };
  return { ...words, ...(code !== undefined && { code }) };
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be shown as text';
  }
}

// A cut may fall between the halves of a surrogate pair, which no store takes as UTF-8.
function clip(given: unknown, key: string): string {
  const whole = typeof given === 'string' ? given : safeString(given); // thrown errors come with anything for a name
  const text = redactQuotes(key === '' ? whole : whole.replaceAll(key, () => keyHash(key)));
  const cut = text.length > LONGEST_STORED_MESSAGE ? `${text.slice(0, LONGEST_STORED_MESSAGE - 1)}…` : text;
  return cut.toWellFormed();
}
