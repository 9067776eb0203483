import { hash } from 'node:crypto';
import type { CancellationReason, TransactWriteItemsInput } from '@aws-sdk/client-dynamodb';
import { wait } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import { changeOfSettlement, isAlreadySettled, isOwnedBy } from '../../claims/transitions.ts';
import { CommitItemsError, type CommitRefusal, CommitRefusedError } from './commit-errors.ts';
import { plainValues, transactItemsOf } from './commit-items.ts';
import { isPassing, isUnknownOperation, toStoreError } from './failures.ts';
import { changing, type ItemWriter, type WriterSetup } from './item-writer.ts';
import { backOffMs, MOST_SENDINGS } from './retry.ts';
import { updateExpressions } from './single-writer.ts';

/** The table of a commit. Member names are a contract with other copies of the package. */
export interface CommitSetup extends WriterSetup {
  readonly writer: Pick<ItemWriter, 'read'>;
}

/**
 * The result of one request. `not-mine`: the claim's condition failed. `refused`: an item's condition failed.
 * `passing`: nothing is written, and a retry may succeed. `invalid`: nothing is written, and a retry cannot
 * succeed. `unknown`: there is no answer that says whether it is written.
 */
type Answer =
  | { readonly kind: 'stored' }
  | { readonly kind: 'not-mine' }
  | { readonly kind: 'refused' | 'passing' | 'unknown' | 'invalid'; readonly error: Error };

/**
 * Writes the completion and the items, which it validates, with one `TransactWriteItems`. Its first entry is
 * the claim's update, on the condition that it is in progress and still its owner's.
 *
 * An unanswered request may be executed at any time, even after a later one was refused: from then on only
 * the row tells what was stored, and a refusal is no longer final. The token makes DynamoDB execute equal
 * requests once for ten minutes; the claim's condition does the same without a time limit.
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
  // The digest covers the whole request, so that another commit of the same attempt has another token.
  const digest = hash('sha256', JSON.stringify(TransactItems));
  return { TransactItems, ClientRequestToken: digest.slice(0, 36) };
}

/** Sends the transaction. `wasResent`: the transport sent it before, with an unknown result. */
async function send(
  input: TransactWriteItemsInput,
  { transport, tableName }: CommitSetup,
): Promise<{ readonly answer: Answer; readonly wasResent: boolean }> {
  try {
    // rule: dynamodb-commit-token
    await transport.send('TransactWriteItems', input);
    return { answer: { kind: 'stored' }, wasResent: false };
  } catch (thrown) {
    const { $metadata } = thrown as Thrown;
    return { answer: answerOf(thrown as Thrown, tableName), wasResent: ($metadata?.attempts ?? 1) > 1 };
  }
}

interface Thrown {
  readonly name?: string;
  readonly message?: string;
  readonly CancellationReasons?: readonly CancellationReason[];
  readonly $metadata?: { readonly attempts?: number };
}

function answerOf(thrown: Thrown, tableName: string): Answer {
  const { name = '', message = '' } = thrown;
  if (name === 'TransactionCanceledException') return answerOfReasons(thrown, tableName);
  // A request with this token has arrived and is not finished.
  if (name === 'TransactionInProgressException') return { kind: 'unknown', error: passing(CONFLICT, thrown) };
  if (isUnknownOperation(thrown)) {
    const text =
      'This DynamoDB does not support TransactWriteItems, which `commit` needs: use another emulator';
    return { kind: 'invalid', error: new StoreError(text, { cause: thrown, isRetryable: false }) };
  }
  if (name === 'ResourceNotFoundException') {
    const text =
      `DynamoDB does not have every table of the transaction: \`${tableName}\` for the ` +
      `claim, and those of the items. Create the missing one`;
    const options = { cause: thrown, isRetryable: false, code: 'BATCHLATCH_TABLE_NOT_FOUND' };
    return { kind: 'invalid', error: new StoreError(text, options) };
  }
  // The claim's own entry is an update, of which DynamoDB says "Item size to update".
  if (name === 'ValidationException' && message.includes('Item size has exceeded')) {
    const text = `DynamoDB cannot put an item of the transaction, which is larger than 400 KB: ${message}`;
    return { kind: 'invalid', error: new StoreError(text, { cause: thrown, isRetryable: false }) };
  }
  // The policy may refuse a table of the items.
  const error = toStoreError(thrown, /\btable\/([\w.-]+)/.exec(message)?.[1] ?? tableName);
  if (!error.isRetryable) return { kind: 'invalid', error };
  return { kind: isPassing(name) && name !== 'InternalServerError' ? 'passing' : 'unknown', error };
}

/** Reads the cancellation reasons of a transaction: a code for each entry, or `None`. */
function answerOfReasons(thrown: Thrown, tableName: string): Answer {
  const { CancellationReasons: reasons = [] } = thrown;
  const [ofClaim, ...ofItems] = reasons;
  if (ofClaim?.Code === 'ConditionalCheckFailed') return { kind: 'not-mine' };
  const invalid = reasons.findIndex(({ Code = 'None' }) => !isPassing(Code) && !NO_ERROR.test(Code));
  if (invalid !== -1) {
    const { Code: code = '', Message: message = '' } = reasons[invalid] as CancellationReason;
    if (invalid === 0)
      return { kind: 'invalid', error: toStoreError({ Code: code, Message: message }, tableName) };
    const text = `DynamoDB cannot execute item ${invalid - 1} of the transaction: ${code}: ${message}`;
    const error = new StoreError(text, { cause: { code, message }, isRetryable: false });
    return { kind: 'invalid', error };
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

/** Reasons that do not mean that the entry is invalid. */
const NO_ERROR = /^(None|ConditionalCheckFailed)$/;

/** Reads the row to find out whether a transaction with an unknown result was stored. */
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
    return 'lost'; // no longer a claim, and so not this owner's
  }
}

const CONFLICT = 'DynamoDB cancelled the transaction because it conflicts with another write';
const CONTRADICTION = "DynamoDB refused the claim's completion although its row meets the condition";
const REFUSED_AFTER_SILENCE =
  'DynamoDB refused the transaction after an earlier request for it got no answer and may still be executed';

function passing(message: string, cause?: unknown): StoreError {
  return new StoreError(message, { cause, isRetryable: true });
}
