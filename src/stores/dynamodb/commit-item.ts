/**
 * A write of a transaction: an entry of DynamoDB's `TransactWriteItems` with plain values in place of
 * `{ S: … }`. Give exactly one of the four. Entries of `TransactWriteCommandInput['TransactItems']` of
 * `@aws-sdk/lib-dynamodb` fit.
 */
export interface CommitItem {
  /** Writes an item. */
  readonly Put?: CommitPut | undefined;
  /** Changes attributes of an item. */
  readonly Update?: CommitUpdate | undefined;
  /** Deletes an item. */
  readonly Delete?: CommitDelete | undefined;
  /** Checks an item and writes nothing. */
  readonly ConditionCheck?: CommitConditionCheck | undefined;
}

/** An item, a key or expression values: plain JavaScript values by attribute name. */
export type CommitValues = Readonly<Record<string, unknown>>;

interface InTable {
  /** A name or an ARN, in the same account and region as the claims table. */
  readonly TableName: string | undefined;
  /** Names by their placeholders, such as `{ '#total': 'total' }`. Default: none. */
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  /** Values by their placeholders, such as `{ ':amount': 5 }`. Default: none. */
  readonly ExpressionAttributeValues?: CommitValues | undefined;
  /** `ALL_OLD`: a refusal includes the stored item. */
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' | undefined;
}

interface Keyed extends InTable {
  /** The item's primary key. */
  readonly Key: CommitValues | undefined;
}

interface Conditional extends InTable {
  /** A condition on the stored item. Default: none. */
  readonly ConditionExpression?: string | undefined;
}

/** Writes an item, or replaces the one with the same key. */
export interface CommitPut extends Conditional {
  /** All attributes of the item, its key among them. */
  readonly Item: CommitValues | undefined;
}

/** Updates an item, or creates it. */
export interface CommitUpdate extends Keyed, Conditional {
  /** Such as `SET total = total + :amount`. */
  readonly UpdateExpression: string | undefined;
}

/** Deletes an item. */
export interface CommitDelete extends Keyed, Conditional {}

/** Refuses the transaction if its condition does not hold; writes nothing. */
export interface CommitConditionCheck extends Keyed {
  /** The condition on the stored item. */
  readonly ConditionExpression: string | undefined;
}
