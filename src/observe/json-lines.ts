import { toStoredError } from '../claims/claim.ts';
import { ConfigurationError } from '../claims/errors.ts';
import { keyHash } from '../claims/key-hash.ts';
import { aFunction, oneOf } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import type { BatchEvent, Observer } from './observer.ts';

/** From the most to the least. */
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
/** The least important level that is written; `silent` writes nothing. */
export type LogLevel = (typeof LEVELS)[number];

/** What `jsonLines()` writes, and where. */
export interface JsonLinesOptions {
  /** The least important level that is written. Default: `BATCHLATCH_LOG_LEVEL`, else `info`. */
  readonly level?: LogLevel;
  /** Takes a line without its line feed. Default: standard output. */
  readonly write?: (line: string) => void;
}

/**
 * One JSON object a line for what a person wants to know of a batch, with the invocation's request id. Keys are hashed and
 * bodies are never written, because both may hold what must not be in a log; error messages are the handler's own
 * words, without what `JSON.parse` quotes in them. A short key can be guessed from its hash, which has no salt.
 */
export function jsonLines(options: JsonLinesOptions = {}): Observer {
  checkOptionsOf('jsonLines', options, { level: oneOf(...LEVELS), write: aFunction() });
  const level = options.level ?? levelFromEnvironment();
  const write = options.write ?? writeToStandardOutput;
  const least = LEVELS.indexOf(level);
  return {
    onEvent(event, invocation) {
      const eventLevel = levelOf(event);
      if (LEVELS.indexOf(eventLevel) < least) return;
      const timestamp = new Date().toISOString();
      const line = { timestamp, level: eventLevel, requestId: invocation?.requestId, ...shown(event) };
      write(escapeUnseen(JSON.stringify(line)));
    },
  };
}

function levelOf(event: BatchEvent): Exclude<LogLevel, 'silent'> {
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
  }
}

/** What is written of an event, its keys hashed. Not by a replacer of `JSON.stringify`, which is slow. */
function shown({ type: message, ...fields }: BatchEvent): object {
  if ('ends' in fields) {
    return { message, ends: fields.ends.map((end) => ({ ...end, key: keyHash(end.key) })) };
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
function shownError(thrown: unknown, key: string): object {
  // Errors of stores may contain the key.
  const words = toStoredError(thrown, key);
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? words : { ...words, cause: toStoredError(cause, key) };
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
  const level = process.env['BATCHLATCH_LOG_LEVEL'] ?? '';
  return level === '' ? 'info' : knownLevel(level.toLowerCase());
}

function knownLevel(level: string): LogLevel {
  const known = LEVELS.find((one) => one === level);
  if (known !== undefined) return known;
  throw new ConfigurationError(
    `Expected BATCHLATCH_LOG_LEVEL to be one of ${LEVELS.join(', ')}, got \`${level}\``,
  );
}

function writeToStandardOutput(line: string): void {
  process.stdout.write(`${line}\n`);
}
