import { defined } from '../base/defined.ts';
import { safeString } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { keyHash } from '../base/key-hash.ts';
import { thrownFields, redactQuotes } from '../base/thrown-fields.ts';

/** The status of a claim. A fifth state, absent, means no row, or a row whose retention is over. */
export type ClaimStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'PARKED';

/** The stored part of an error: enough for a person to judge, never a body. */
export interface StoredError {
  /** The name, such as `TypeError`; `NonError` if the thrown value is not an `Error`. */
  readonly name: string;
  /** The message: at most 512 characters, without quotations of a body. */
  readonly message: string;
  /** The error's `code`, if it is a string. */
  readonly code?: string;
}

/** The stored row of one idempotency key: its owner, its lease and its end. Times are epoch milliseconds. */
export interface Claim {
  /** The idempotency key. */
  readonly key: string;
  /** The status. */
  readonly status: ClaimStatus;
  /** The random token of the attempt that last wrote the row. It stays after the claim is settled. */
  readonly owner: string;
  /** The fencing token: how many times the key was claimed while the row lives. It only grows. */
  readonly attempt: number;
  /** How many attempts were released before they started. They do not count towards `maxAttempts`. */
  readonly releases: number;
  /** How many attempts in a row crashed: their lease lapsed unsettled. A settled failure resets it. */
  readonly crashes: number;
  /**
   * Whether the handler of this attempt has started, if attempts record that (`ClaimRequest.recordsStart`). A
   * lapsed lease of an unstarted attempt is no crash. Absent: it counts as started.
   */
  readonly started?: boolean;
  /** The end of the owner's exclusive claim, in epoch milliseconds. */
  readonly leaseUntil: number;
  /**
   * When the row is forgotten, in epoch milliseconds; stores round it up to the unit of their TTL. Absent
   * only in rows that Powertools wrote.
   */
  readonly expiresAt?: number;
  /** When the key was first claimed while the row lives, in epoch milliseconds. */
  readonly createdAt: number;
  /** When the row was last written, in epoch milliseconds. */
  readonly updatedAt: number;
  /** When it was completed, in epoch milliseconds; absent otherwise. */
  readonly completedAt?: number;
  /** Function, version and request id of the attempt, for people who read the row. */
  readonly lockedBy?: string;
  /** The hash that payload validation compares; absent without it. */
  readonly payloadHash?: string;
  /** The handler's result, as JSON text. */
  readonly result?: string;
  /** The error of the last attempt, in FAILED and PARKED claims. */
  readonly error?: StoredError;
  /**
   * The sender's id of the record that claimed the key last. Absent if the key ends with it, or for calls.
   */
  readonly recordId?: string;
  /** When the last attempt claimed the key, in epoch milliseconds. Absent for the first: see `createdAt`. */
  readonly claimedAt?: number;
  /** The last ten changes by people, oldest first; absent if there are none. Later attempts keep them. */
  readonly history?: readonly OperatorChange[];
}

/** A change of a claim by a person. */
export interface OperatorChange {
  /** The time, in epoch milliseconds. */
  readonly at: number;
  /** The kind of change. */
  readonly operation: 'release' | 'resolve' | 'park' | 'forget';
  /** The person who made it. */
  readonly operator: string;
  /** The reason, in the person's words. */
  readonly reason: string;
  /** The claim before the change. */
  readonly from: Pick<Claim, 'status' | 'owner' | 'attempt' | 'error'>;
}

/** Returns how many attempts count: those released before they started do not. */
export function countedAttempts({ attempt, releases }: Pick<Claim, 'attempt' | 'releases'>): number {
  return attempt - releases;
}

const LONGEST_STORED_MESSAGE = 512;

/** Bounds any thrown value for rows and logs, without quotations of a body and with `key` hashed. */
export function toStoredError(thrown: unknown, key: string = ''): StoredError {
  try {
    return wordsOf(thrown, (text) => clip(text, key));
  } catch {
    // A revoked proxy, or a getter that throws.
    return { name: 'NonError', message: 'a value that cannot be read' };
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
  return { ...words, ...defined({ code }) };
}

// A cut can split a surrogate pair, which stores reject as UTF-8.
function clip(given: unknown, key: string): string {
  // The name of a thrown error may be any value.
  const whole = typeof given === 'string' ? given : safeString(given);
  const text = redactQuotes(key === '' ? whole : whole.replaceAll(key, () => keyHash(key)));
  const cut = text.length > LONGEST_STORED_MESSAGE ? `${text.slice(0, LONGEST_STORED_MESSAGE - 1)}…` : text;
  return cut.toWellFormed();
}
