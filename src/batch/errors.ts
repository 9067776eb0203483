import { isPermanent as isPermanentError } from '../claims/attempt-errors.ts';
import { BatchlatchError, hasCode } from '../claims/errors.ts';
import type { BodyIssue } from './schema-issues.ts';

export {
  CompletionNotStoredError,
  InterruptedError,
  LapsedLeaseError,
  LeaseLostError,
  MismatchError,
  PermanentError,
  TooManyAttemptsError,
} from '../claims/attempt-errors.ts';

const INVALID_BODY = 'BATCHLATCH_INVALID_BODY';
const SCHEMA_FAILED = 'BATCHLATCH_SCHEMA_FAILED';

/** By code, so that a `PermanentError` of another copy of this package counts too. */
export function isPermanent(error: unknown): boolean {
  return isPermanentError(error) || isInvalidBody(error);
}

/** The body does not fit the `schema`: the handler is not run, and the claim is parked at once. */
export class InvalidBodyError extends BatchlatchError {
  /** What does not fit, at most ten of them; never the values. */
  readonly issues: readonly BodyIssue[];

  constructor(issues: readonly BodyIssue[]) {
    const shown = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(INVALID_BODY, `The body does not fit the schema: ${shown.join('; ')}`);
    this.issues = issues;
  }
}

export function isInvalidBody(error: unknown): boolean {
  return hasCode(error, INVALID_BODY);
}

/** The `schema` itself threw or rejected, which says nothing about the record: it fails and may run again. */
export class SchemaFailedError extends BatchlatchError {
  constructor(options: { cause: unknown }) {
    super(SCHEMA_FAILED, 'The schema failed by itself, so nobody knows whether the body fits', options);
  }
}

export function isSchemaFailure(error: unknown): boolean {
  return hasCode(error, SCHEMA_FAILED);
}

const RETRY_LATER = 'BATCHLATCH_RETRY_LATER';

/**
 * Thrown by a handler that cannot do its work yet: a limit of a downstream, something that is not there so
 * far. The attempt failed and counts; with `visibility`, an SQS message comes again after `delayMs` and not
 * by back-off. Throws a `RangeError` for a delay that is not a number of milliseconds from 0 up.
 */
export class RetryLaterError extends BatchlatchError {
  readonly delayMs: number;

  constructor({ delayMs, cause }: { readonly delayMs: number; readonly cause?: unknown }) {
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new RangeError(
        `Expected \`delayMs\` to be a number of milliseconds from 0 up, got \`${delayMs}\``,
      );
    }
    super(RETRY_LATER, `The handler asks to be called again in ${delayMs} ms`, { cause });
    this.delayMs = delayMs;
  }
}

/** The delay that a `RetryLaterError`, of this copy of the package or another, asks for. */
export function retryLaterMs(error: unknown): number | undefined {
  if (!hasCode(error, RETRY_LATER)) return undefined;
  const { delayMs } = error as Partial<RetryLaterError>;
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined;
}

/** The handler ran longer than `recordTimeoutMs`. */
export class RecordTimeoutError extends BatchlatchError {
  constructor(timeoutMs: number, options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_RECORD_TIMEOUT',
      `The handler ran longer than ${timeoutMs} ms (recordTimeoutMs)`,
      options,
    );
  }
}

/** The invocation's time was nearly over while the handler ran. */
export class DeadlineError extends BatchlatchError {
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_DEADLINE',
      "The function's time was nearly over: its handler was told to stop (deadlineMarginMs before Lambda's timeout)",
      options,
    );
  }
}

/** The key's attempts died `maxCrashes` times in a row: it is parked without another run. */
export class TooManyCrashesError extends BatchlatchError {
  constructor(maxCrashes: number) {
    super(
      'BATCHLATCH_TOO_MANY_CRASHES',
      `${maxCrashes} attempts in a row (maxCrashes) died without an end: the process was killed or overran its lease`,
    );
  }
}

/** Processes died while they read the record, before it had a claim: it is not read again. */
export class ReadingKillsError extends BatchlatchError {
  constructor(deaths: number) {
    super(
      'BATCHLATCH_READING_KILLS',
      `${deaths} processes died while they read this record (\`decode\`, \`key\`, \`namespace\`, \`payloadValidation\`), so it is not read again; look at what its body makes them do`,
    );
  }
}

/** The record was handed back unread, so that reading it takes no other record along. */
export class NotReadError extends BatchlatchError {
  constructor(because: keyof typeof WHY_NOT_READ, options?: { cause: unknown }) {
    super('BATCHLATCH_NOT_READ', `The record was not read: ${WHY_NOT_READ[because]}`, options);
  }
}

const WHY_NOT_READ = {
  killed:
    'a process died while it read it, and reading it now would put the other records of its batch at risk; it is read when it comes without them',
  elsewhere: 'another process is reading it, or died while it did and its lease has not ended yet',
  store: 'the claim store did not say whether reading it is safe',
  time: "the function's time was nearly over",
} as const;

/** A batch handler's answer cannot be told apart by record: all its records count as failed. */
export class BatchAnswerError extends BatchlatchError {
  constructor(items: number, answer: unknown) {
    const given = Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
    super(
      'BATCHLATCH_BATCH_ANSWER',
      `The batch handler got ${items} items and answered with ${given}; return nothing, or an array with an entry for each item`,
    );
  }
}

/** An event that is delivered alone has to be delivered again; the invocation fails with this, or with the handler's error. */
export class RedeliverError extends BatchlatchError {
  constructor(message: string) {
    super('BATCHLATCH_REDELIVER', message);
  }
}

/** A commit was asked for when nothing more can be committed: one transaction per run of a handler. */
export class CommitNotAllowedError extends BatchlatchError {
  constructor(because: keyof typeof WHY_NOT) {
    super('BATCHLATCH_COMMIT_NOT_ALLOWED', `Nothing else can be committed in this run: ${WHY_NOT[because]}`);
  }
}

const WHY_NOT = {
  pending: 'a commit is under way; wait for it',
  stored: 'its one commit is written, and the claim completed with it',
  failed: 'its claim is lost, or an earlier commit may be written without our knowing',
  ended: 'the handler has ended; a commit belongs inside it',
  unclaimed: "it has no claim to complete (onStoreError: 'run')",
} as const;
