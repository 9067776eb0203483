import { ConfigurationError } from '../base/errors.ts';
import { keyHash } from '../base/key-hash.ts';
import { toStoredError } from '../claims/claim.ts';
import type { BatchEvent, Observer } from './observer.ts';
import { aFunction, checkOptionsOf, oneOf } from '../options/check-options.ts';

/** The least important level that is written: `debug`, `info`, `warn`, `error`, or `silent`, which writes nothing. */
export type LogLevel = (typeof LEVELS)[number];

/** What `jsonLines()` writes, and where. */
export interface JsonLinesOptions {
  /** The least important level that is written. Default: `BATCHLATCH_LOG_LEVEL`, else `info`. */
  readonly level?: LogLevel;
  /**
   * Takes a line without its line feed. Default: standard output.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => void;
}

/**
 * One JSON object a line for what a person wants to know of a batch, with the request id, the function and the source. Keys are hashed and
 * bodies are never written, because both may hold what must not be in a log; error messages are the handler's own
 * words, without what `JSON.parse` quotes in them. A short key can be guessed from its hash, which has no salt.
 *
 * @param options Which lines, and where they go.
 * @throws `ConfigurationError` for an option that is unknown or impossible, and for a level of the environment that
 *   is none.
 */
export function jsonLines(options: JsonLinesOptions = {}): Observer {
  checkOptionsOf('jsonLines', options, { level: oneOf(...LEVELS), write: aFunction() });
  const level = options.level ?? levelFromEnvironment();
  const write = options.write ?? writeToStandardOutput;
  const least = LEVELS.indexOf(level);
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
        ...shown(event),
      };
      write(escapeUnseen(JSON.stringify(line)));
    },
  };
}

/**
 * What JSON leaves as it is and terminals and viewers of logs act upon: control characters, line separators, and marks
 * that turn the direction of what follows, by which one value can be made to look like another.
 */
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

/** Where lines go: in Lambda each is an event of the function's log. */
export function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}

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
