import { hash } from 'node:crypto';
import type { CancellationReason, TransactWriteItemsInput } from '@aws-sdk/client-dynamodb';
import { wait } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import { changeOfSettlement, isAlreadySettled, isOwnedBy } from '../../claims/transitions.ts';
import type { ClaimsTable } from './claims-table.ts';
import { CommitItemsError, type CommitRefusal, CommitRefusedError } from './commit-errors.ts';
import { plainValues, transactItemsOf } from './commit-items.ts';
import { isPassing, isUnknownOperation, toStoreError } from './failures.ts';
import { changing, type ItemWriter } from './item-writer.ts';
import { backOffMs, MOST_SENDINGS } from './retry.ts';
import { updateExpressions } from './single-writer.ts';

/** Where a commit is written. Its names are a contract: the effect may come from another copy of the package. */
export interface CommitSetup extends Pick<
  ClaimsTable,
  'transport' | 'tableName' | 'format' | 'clock' | 'random'
> {
  readonly writer: Pick<ItemWriter, 'read'>;
}

/**
 * The result of one request of the transaction. `not-mine`: the claim's own condition did not hold. `refused`: one of the
 * items' did not. `passing`: nothing is written, and the same may succeed in a moment. `invalid`: nothing is written, nor
 * will be. `unknown`: there is no answer, or none that says whether it is written.
 */
type Answer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'not-mine' }
  | { readonly kind: 'refused' | 'passing' | 'unknown' | 'invalid'; readonly error: Error };

/**
 * Writes the completion and the items with one `TransactWriteItems`, whose first entry is the claim on the
 * condition that it is in progress and still its owner's.
 *
 * A sending that went unanswered may be done at any time, also after a later one was refused: from then on
 * only the row tells what was stored, and a refusal is no longer final. The token makes DynamoDB do equal
 * sendings once for ten minutes; the claim's condition does the same without a time limit.
 *
 * `items` are as the handler gave them, and are checked here.
 */
export async function commitWithCompletion(
  completion: Completion,
  items: unknown,
  setup: CommitSetup,
  signal?: StopSignal,
): Promise<CommitOutcome> {
  const { clock, random } = setup;
  let input: TransactWriteItemsInput;
  try {
    input = transaction(completion, items, setup);
  } catch (thrown) {
    if (thrown instanceof CommitItemsError) return { refused: thrown };
    throw thrown;
  }
  let isUnanswered = false;
  for (let sending = 1; ; sending += 1) {
    const { answer, wasResent } = await send(input, setup);
    if (answer.kind === 'stored') return 'stored';
    if (answer.kind === 'not-mine') return outcomeByRow(completion, passing(CONTRADICTION), setup);
    isUnanswered ||= wasResent || answer.kind === 'unknown';
    // rule: dynamodb-refused-commit
    if (answer.kind === 'refused' && !isUnanswered) return { refused: answer.error };

    const error = answer.kind === 'refused' ? passing(REFUSED_AFTER_SILENCE) : answer.error;
    const isFinal = answer.kind === 'invalid' || answer.kind === 'refused' || sending === MOST_SENDINGS;
    if (!isFinal) await wait(clock, backOffMs(sending, random), signal);
    if (isFinal || signal?.aborted === true) {
      return isUnanswered ? outcomeByRow(completion, error, setup) : { error };
    }
  }
}

function transaction(
  completion: Completion,
  items: unknown,
  { tableName, format, clock }: CommitSetup,
): TransactWriteItemsInput {
  const { key: claimKey, owner } = completion;
  const key = format.toKey(claimKey);
  const change = changeOfSettlement(completion, clock.now());
  const update = {
    TableName: tableName,
    Key: key,
    // rule: dynamodb-commit-owner
    ...updateExpressions(changing({ key: claimKey, owner, change }, format)),
  };
  const TransactItems = [{ Update: update }, ...transactItemsOf(items, { tableName, key })];
  // Of everything that is sent, owner and time included: another commit of the same attempt has another.
  const digest = hash('sha256', JSON.stringify(TransactItems));
  return { TransactItems, ClientRequestToken: digest.slice(0, 36) };
}

/** `wasResent`: the transport has sent it before, and does not say with what result. */
async function send(
  input: TransactWriteItemsInput,
  { transport, tableName }: CommitSetup,
): Promise<{ readonly answer: Answer; readonly wasResent: boolean }> {
  try {
    // rule: dynamodb-commit-token
    await transport.send('TransactWriteItems', input);
    return { answer: { kind: 'stored' }, wasResent: false };
  } catch (thrown) {
    return { answer: answerOf(thrown, tableName), wasResent: attemptsOf(thrown) > 1 };
  }
}

function answerOf(thrown: unknown, tableName: string): Answer {
  const { name, CancellationReasons } = thrown as {
    readonly name?: string;
    readonly CancellationReasons?: readonly CancellationReason[];
  };
  if (name === 'TransactionCanceledException') {
    return answerOfReasons(CancellationReasons ?? [], thrown, tableName);
  }
  // The same token is in progress: the first request has arrived and is not finished.
  if (name === 'TransactionInProgressException') return { kind: 'unknown', error: passing(CONFLICT, thrown) };
  if (isUnknownOperation(thrown)) {
    const message = 'This DynamoDB does not support TransactWriteItems, which `commit` needs';
    return { kind: 'invalid', error: new StoreError(message, { cause: thrown, isRetryable: false }) };
  }
  if (name === 'ResourceNotFoundException') {
    const message = `DynamoDB does not have every table of the transaction: \`${tableName}\` for the claim, and those of the items`;
    const options = { cause: thrown, isRetryable: false, code: 'BATCHLATCH_TABLE_NOT_FOUND' };
    return { kind: 'invalid', error: new StoreError(message, options) };
  }
  const error = toStoreError(thrown, refusedTable(thrown) ?? tableName);
  if (!error.isRetryable) return { kind: 'invalid', error };
  return { kind: isPassing(name ?? '') && name !== 'InternalServerError' ? 'passing' : 'unknown', error };
}

/** The transaction was cancelled, and for each of its entries DynamoDB says why, or `None`. */
function answerOfReasons(reasons: readonly CancellationReason[], thrown: unknown, tableName: string): Answer {
  const [ofClaim, ...ofItems] = reasons;
  if (ofClaim?.Code === 'ConditionalCheckFailed') return { kind: 'not-mine' };
  const invalid = reasons.findIndex(({ Code = 'None' }) => !isPassing(Code) && !NO_ERROR.test(Code));
  if (invalid !== -1) {
    const { Code = '', Message = '' } = reasons[invalid] as CancellationReason;
    return { kind: 'invalid', error: invalidEntry(invalid - 1, Code, Message, tableName) };
  }
  const refusals = ofItems.flatMap(({ Code, Item }, index): CommitRefusal[] =>
    Code === 'ConditionalCheckFailed'
      ? [{ index, code: Code, ...(Item !== undefined && { item: plainValues(Item) }) }]
      : [],
  );
  if (refusals.length > 0) return { kind: 'refused', error: new CommitRefusedError(refusals) };
  if (reasons.some(({ Code = 'None' }) => Code !== 'None')) {
    // rule: dynamodb-cancelled-commit
    return { kind: 'passing', error: passing(CONFLICT, thrown) };
  }
  return { kind: 'unknown', error: toStoreError(thrown, tableName) };
}

/** Reasons that do not make the entry itself a wrong one. */
const NO_ERROR = /^(None|ConditionalCheckFailed)$/;

/** `index`: of the item, or -1 for the claim. */
function invalidEntry(index: number, code: string, message: string, tableName: string): StoreError {
  if (index === -1) return toStoreError({ Code: code, Message: message }, tableName);
  return new StoreError(`DynamoDB cannot execute item ${index} of the transaction: ${code}: ${message}`, {
    cause: { code, message },
    isRetryable: false,
  });
}

/** The row shows whether a transaction with an unknown result has been stored. */
async function outcomeByRow(
  completion: Completion,
  error: Error,
  { writer, format }: CommitSetup,
): Promise<CommitOutcome> {
  const [read] = await writer.read([completion.key]);
  if (read?.status !== 'read') return { error };
  try {
    const stored = read.row === undefined ? undefined : format.toClaim(read.row);
    // rule: dynamodb-own-commit
    if (isAlreadySettled(stored, completion)) return 'stored';
    return isOwnedBy(stored, completion.owner) ? { error } : 'lost';
  } catch {
    return 'lost'; // no claim any more, and so not ours either
  }
}

/** The table that a policy refuses, which may be one of the items' own. */
function refusedTable(thrown: unknown): string | undefined {
  const { message = '' } = thrown as { readonly message?: string };
  return /\btable\/([\w.-]+)/.exec(message)?.[1];
}

function attemptsOf(thrown: unknown): number {
  const { $metadata } = thrown as { readonly $metadata?: { readonly attempts?: number } };
  return $metadata?.attempts ?? 1;
}

const CONFLICT = 'DynamoDB cancelled the transaction because it conflicts with another write';
const CONTRADICTION = "DynamoDB refused the claim's completion although its row meets the condition";
const REFUSED_AFTER_SILENCE =
  'DynamoDB refused the transaction after an earlier request for it got no answer and may still be executed';

function passing(message: string, cause?: unknown): StoreError {
  return new StoreError(message, { cause, isRetryable: true });
}
