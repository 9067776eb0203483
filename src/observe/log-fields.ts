import { toStoredError } from '../claims/claim.ts';
import { keyHash } from '../base/key-hash.ts';
import type { BatchEvent } from './observer.ts';

/** From the most to the least. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Each event has one; none is `silent`. */
export type EventLevel = Exclude<(typeof LEVELS)[number], 'silent'>;

/** How much an event matters to a person. */
export function levelOf(event: BatchEvent): EventLevel {
  switch (event.type) {
    case 'claimed':
    case 'duplicate':
    case 'started':
    case 'succeeded':
    case 'committed':
      return 'debug';
    case 'settling':
    case 'conflict':
    case 'deadLettered':
    case 'notStarted':
    case 'batchFinished':
      return 'info';
    case 'tookOver':
    case 'failed':
    case 'invalid':
    case 'mismatch':
    case 'abandoned':
    case 'failedAfterCommit':
    case 'resultDropped':
    case 'settleDelayed':
    case 'visibilityNotChanged':
      return 'warn';
    case 'parked':
    case 'deadLetterFailed':
    case 'withoutClaim':
    case 'claimFailed':
    case 'decodeFailed':
    case 'leaseLost':
    case 'settleFailed':
      return 'error';
    case 'stuck':
      return event.hasEnded ? 'warn' : 'error';
  }
}

/** What is written of an event, its keys hashed. Not by a replacer of `JSON.stringify`, which is slow. */
export function shown({ type: message, ...fields }: BatchEvent): object {
  if ('ends' in fields) {
    // Not spread: there are thousands.
    const ends = fields.ends.map(({ recordId, key, owner, attempt, end }) => ({
      recordId,
      key: keyHash(key),
      owner,
      attempt,
      end,
    }));
    return { message, ends };
  }
  const key = 'key' in fields ? fields.key : '';
  return {
    message,
    ...fields,
    ...('key' in fields && { key: keyHash(key) }),
    ...('error' in fields && { error: shownError(fields.error, key) }),
  };
}

/**
 * Name, message and code, and those of the cause. The rest stays out: the stack is long and names paths, and
 * HTTP clients hang the whole request on their errors, which a `toJSON` of theirs would write.
 */
export function shownError(thrown: unknown, key: string): object {
  // Errors of stores may contain the key.
  const words = toStoredError(thrown, key);
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? words : { ...words, cause: toStoredError(cause, key) };
}
