import { BatchlatchError } from './errors.ts';

/**
 * One write of a transaction, as an entry of DynamoDB's `TransactWriteItems` in document form: plain values in
 * place of `{ S: … }`. Exactly one of the four is given. What the SDK's `TransactWriteCommand` takes fits.
 */
export interface CommitItem {
  readonly Put?: CommitPut | undefined;
  readonly Update?: CommitUpdate | undefined;
  readonly Delete?: CommitDelete | undefined;
  readonly ConditionCheck?: CommitConditionCheck | undefined;
}

/** An item, a key or expression values: plain JavaScript values by attribute name. */
export type CommitValues = Readonly<Record<string, unknown>>;

interface InTable {
  /** A name or an ARN, in the same account and region as the claims table. */
  readonly TableName: string | undefined;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: CommitValues | undefined;
  /** `ALL_OLD`: a refusal brings the item along that did not fit. */
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' | undefined;
}

export interface CommitPut extends InTable {
  readonly Item: CommitValues | undefined;
  readonly ConditionExpression?: string | undefined;
}

export interface CommitUpdate extends InTable {
  readonly Key: CommitValues | undefined;
  readonly UpdateExpression: string | undefined;
  readonly ConditionExpression?: string | undefined;
}

export interface CommitDelete extends InTable {
  readonly Key: CommitValues | undefined;
  readonly ConditionExpression?: string | undefined;
}

export interface CommitConditionCheck extends InTable {
  readonly Key: CommitValues | undefined;
  readonly ConditionExpression: string | undefined;
}

/** Why one of the items kept the transaction from being done. */
export interface CommitRefusal {
  /** Of the item among those that were handed over, from 0. */
  readonly index: number;
  /** DynamoDB's: `ConditionalCheckFailed`. */
  readonly code: string;
  /** The item as it is stored, where `ReturnValuesOnConditionCheckFailure: 'ALL_OLD'` asked for it. */
  readonly item?: CommitValues;
}

/**
 * What became of a transaction. `stored`: items and completion are. `lost`: the claim is another owner's now;
 * `refused`: an item's condition did not hold, the claim is still the caller's. After both, nothing of it is
 * written, nor will be. `error`: it may be written, now or by a request that is still on its way.
 */
export type CommitOutcome =
  | 'stored'
  | 'lost'
  | { readonly refused: readonly CommitRefusal[] }
  | { readonly error: Error };

/** `context.commit` was given what no transaction can hold. Nothing was sent. */
export class CommitItemsError extends BatchlatchError {
  constructor(message: string) {
    super('BATCHLATCH_COMMIT_ITEMS', message);
  }
}

/**
 * A condition of the handler's own items did not hold. Nothing was written, and the claim is still the
 * attempt's: the handler may commit something else, return without an effect, or throw.
 */
export class CommitRefusedError extends BatchlatchError {
  readonly reasons: readonly CommitRefusal[];

  constructor(reasons: readonly CommitRefusal[]) {
    const shown = reasons.map(({ index, code }) => `item ${index}: ${code}`).join(', ');
    super('BATCHLATCH_COMMIT_REFUSED', `The transaction was refused and nothing is written (${shown})`);
    this.reasons = reasons;
  }
}
