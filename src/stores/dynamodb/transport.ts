import type {
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  BatchGetItemInput,
  BatchGetItemOutput,
  DeleteItemInput,
  DeleteItemOutput,
  GetItemInput,
  GetItemOutput,
  PutItemInput,
  PutItemOutput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
  UpdateItemInput,
  UpdateItemOutput,
} from '@aws-sdk/client-dynamodb';
import type { StopSignal } from '../../base/stop.ts';

/** The operations of DynamoDB that the store uses. The types are those of AWS's SDK; none of its code comes with them. */
export interface Operations {
  BatchExecuteStatement: Exchange<BatchExecuteStatementInput, BatchExecuteStatementOutput>;
  BatchGetItem: Exchange<BatchGetItemInput, BatchGetItemOutput>;
  DeleteItem: Exchange<DeleteItemInput, DeleteItemOutput>;
  GetItem: Exchange<GetItemInput, GetItemOutput>;
  PutItem: Exchange<PutItemInput, PutItemOutput>;
  Query: Exchange<QueryInput, QueryOutput>;
  Scan: Exchange<ScanInput, ScanOutput>;
  TransactWriteItems: Exchange<TransactWriteItemsInput, TransactWriteItemsOutput>;
  UpdateItem: Exchange<UpdateItemInput, UpdateItemOutput>;
}

interface Exchange<Input, Output> {
  readonly input: Input;
  readonly output: Output;
}

export type Operation = keyof Operations;

/**
 * How requests reach DynamoDB: in its own JSON (`{ S: … }`), with retries of what failed in passing. Binary values go in as
 * a `Uint8Array` with a `toJSON` of base64, and may come back as base64.
 *
 * What it throws looks like the exceptions of AWS's SDK, whichever it is: `name`, `message`, `$fault`, `$metadata` with
 * `attempts` (every sending counts), and what the answer held besides, such as `Item` or `CancellationReasons`.
 */
export interface Transport {
  /**
   * Each request ends by itself: within some 10 seconds, whatever hangs, and as soon as its signal is aborted. Default:
   * whoever sends makes sure of it.
   */
  readonly isBounded?: boolean;
  /** `signal`: when it is aborted, the answer is no longer awaited; the request may still be done. `platformSignal` makes an `AbortSignal` of it. */
  send<Name extends Operation>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: StopSignal,
  ): Promise<Operations[Name]['output']>;
}
