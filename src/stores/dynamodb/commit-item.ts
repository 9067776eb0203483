/**
 * One write of a transaction, as an entry of DynamoDB's `TransactWriteItems` in document form: plain values in
 * place of `{ S: … }`. Exactly one of the four is given. What `TransactWriteCommandInput['TransactItems']` of
 * `@aws-sdk/lib-dynamodb` holds fits.
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
  /** `ALL_OLD`: a refusal brings the item along that did not fit. */
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD' | 'NONE' | undefined;
}

interface Keyed extends InTable {
  /** The item's primary key. */
  readonly Key: CommitValues | undefined;
}

interface Conditional extends InTable {
  /** What must hold of the item that is there. Default: nothing. */
  readonly ConditionExpression?: string | undefined;
}

/** Writes an item, or replaces the one with the same key. */
export interface CommitPut extends Conditional {
  /** All attributes of the item, its key among them. */
  readonly Item: CommitValues | undefined;
}

/** Changes attributes of an item, which is made where there is none. */
export interface CommitUpdate extends Keyed, Conditional {
  /** Such as `SET total = total + :amount`. */
  readonly UpdateExpression: string | undefined;
}

/** Deletes an item. */
export interface CommitDelete extends Keyed, Conditional {}

/** Writes nothing, and refuses the transaction where its condition does not hold. */
export interface CommitConditionCheck extends Keyed {
  /** What must hold of the item that is there. */
  readonly ConditionExpression: string | undefined;
}
