import { ConfigurationError } from '../base/errors.ts';
import { keyHash } from '../base/key-hash.ts';
import { toStoredError } from '../claims/claim.ts';
import { FairGroups } from './fair-groups.ts';
import type { ObservedInvocation } from './observed.ts';
import type { BatchEvent, Observer } from './observer.ts';
import { aFunction, checkOptionsOf, oneOf } from '../options/check-options.ts';
import { harmless } from './tell-observer.ts';

/** The lowest level that is written: `debug`, `info`, `warn`, `error`, or `silent`, which writes nothing. */
export type LogLevel = (typeof LEVELS)[number];

/** Options of `jsonLines()`. */
export interface JsonLinesOptions {
  /** The lowest level that is written. Default: `BATCHLATCH_LOG_LEVEL`, else `info`. */
  readonly level?: LogLevel;
  /**
   * Writes a line, given without its line feed. Default: to standard output.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => void;
}

/**
 * Returns an observer that writes one line of JSON for each event, with the request ID, the function and the
 * source. Keys are hashed and bodies are never written, because both may be confidential. The hash has no
 * salt, so a short key can be guessed. Error messages are the handler's own, without what `JSON.parse` quotes
 * in them.
 *
 * @param options The level and the output.
 * @throws `ConfigurationError` for invalid options, and for an invalid `BATCHLATCH_LOG_LEVEL`.
 */
export function jsonLines(options: JsonLinesOptions = {}): Observer {
  checkOptionsOf('jsonLines', options, { level: oneOf(...LEVELS), write: aFunction() });
  const level = options.level ?? levelFromEnvironment();
  const write = options.write ?? writeToStandardOutput;
  const least = LEVELS.indexOf(level);
  const fairGroups = new FairGroups();
  return {
    wants: (type) => LEVELS.indexOf(levelOf({ type } as BatchEvent)) >= least,
    onEvent(event, invocation) {
      const eventLevel = levelOf(event);
      if (LEVELS.indexOf(eventLevel) < least) return;
      const timestamp = new Date().toISOString();
      const { requestId, functionName, source } = invocation ?? {};
      const line = {
        timestamp,
        level: eventLevel,
        requestId,
        function: functionName,
        source,
        ...shown(event, invocation),
        ...fairGroups.fieldOf(event, invocation),
      };
      harmless(() => write(escapeUnseen(JSON.stringify(line))));
    },
  };
}

/** Control characters, line separators and direction marks: JSON keeps them, terminals act upon them. */
const UNSEEN = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

export function escapeUnseen(json: string): string {
  return json.replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

function levelFromEnvironment(): LogLevel {
  const level = (process.env['BATCHLATCH_LOG_LEVEL'] || 'info').toLowerCase();
  const known = LEVELS.find((one) => one === level);
  if (known !== undefined) return known;
  throw new ConfigurationError(
    `Expected BATCHLATCH_LOG_LEVEL to be one of ${LEVELS.join(', ')}, got \`${level}\``,
  );
}

// Not console.log: with JSON logging, Lambda would wrap the line, and CloudWatch would find no metrics.
export function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the user's `write`, or the default, as a function that can be awaited. */
export function awaitedWrite(
  write: (line: string) => unknown = writeToStandardOutput,
): (line: string) => Promise<unknown> {
  return async (line) => write(line);
}

/** From the most verbose to the least. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The level of an event, never `silent`. */
export type EventLevel = Exclude<(typeof LEVELS)[number], 'silent'>;

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

const NO_TYPE: object = {};

/**
 * Returns the log fields of an event, with keys hashed and types of message. A replacer of `JSON.stringify`
 * would be slower.
 */
export function shown(
  { type: message, ...fields }: BatchEvent,
  invocation?: Pick<ObservedInvocation, 'typeOf'>,
): object {
  const typeOf = (recordId: string): object => {
    const messageType = invocation?.typeOf(recordId);
    return messageType === undefined ? NO_TYPE : { messageType };
  };
  if ('ends' in fields) {
    // Built by hand: a spread is slower for thousands of records.
    const ends = fields.ends.map(({ recordId, key, owner, attempt, end }) => ({
      recordId,
      ...typeOf(recordId),
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
    ...('recordId' in fields && typeOf(fields.recordId)),
    ...('key' in fields && { key: keyHash(key) }),
    ...('error' in fields && { error: shownError(fields.error, key) }),
  };
}

/** Returns name, message and code of an error and its cause, without stacks and attached requests. */
export function shownError(thrown: unknown, key: string): object {
  // Errors of stores may contain the key.
  const words = toStoredError(thrown, key);
  try {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    return cause === undefined ? words : { ...words, cause: toStoredError(cause, key) };
  } catch {
    return words; // a revoked proxy, or a getter that throws: the line is written all the same
  }
}
