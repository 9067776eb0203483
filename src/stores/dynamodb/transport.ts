import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { Service } from '../../aws/service.ts';
import { bounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { StopSignal } from '../../base/stop.ts';

/** The operations of DynamoDB that the store uses. The types are those of AWS's SDK; none of its code comes with them. */
export interface Operations {
  BatchExecuteStatement: Exchange<Sdk.BatchExecuteStatementInput, Sdk.BatchExecuteStatementOutput>;
  BatchGetItem: Exchange<Sdk.BatchGetItemInput, Sdk.BatchGetItemOutput>;
  DeleteItem: Exchange<Sdk.DeleteItemInput, Sdk.DeleteItemOutput>;
  GetItem: Exchange<Sdk.GetItemInput, Sdk.GetItemOutput>;
  PutItem: Exchange<Sdk.PutItemInput, Sdk.PutItemOutput>;
  Query: Exchange<Sdk.QueryInput, Sdk.QueryOutput>;
  Scan: Exchange<Sdk.ScanInput, Sdk.ScanOutput>;
  TransactWriteItems: Exchange<Sdk.TransactWriteItemsInput, Sdk.TransactWriteItemsOutput>;
  UpdateItem: Exchange<Sdk.UpdateItemInput, Sdk.UpdateItemOutput>;
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
  /** Each request ends by itself, within some 10 seconds and once its signal is aborted. Default: its sender ends it. */
  readonly isBounded?: boolean;
  /** `signal`: when it is aborted, the answer is no longer awaited; the request may still be done. `platformSignal` makes an `AbortSignal` of it. */
  send<Name extends Operation>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: StopSignal,
  ): Promise<Operations[Name]['output']>;
}

/**
 * A thousand claims written one by one would open more connections at once than a server's accept queue takes, and the
 * failures would use up all retries. 50 is also how many sockets AWS's SDK opens unless told otherwise.
 */
const REQUESTS_AT_ONCE = 50;

/**
 * At most 50 requests at a time, and none for longer than 10 seconds: a client of the SDK waits without a limit, and 50
 * requests that hang would block the process. A transport that bounds its requests is spared the timer and the listener.
 */
export function boundedTransport(transport: Transport, clock: Clock): Transport {
  const slots = new Semaphore(REQUESTS_AT_ONCE);
  const limits = { send: { ms: DYNAMODB_REQUEST_MS, signalAt: 2 } };
  const limited = bounded(transport, limits, (why) => unanswered(why), clock);
  return {
    async send(operation, input, signal) {
      if (!slots.take()) await slots.turn();
      try {
        if (signal?.aborted === true) throw unanswered('given-up'); // while it waited for its turn
        // rule: dynamodb-bound
        const isBounded = transport.isBounded === true;
        return await (isBounded ? transport : limited).send(operation, input, signal);
      } finally {
        slots.release();
      }
    },
  };
}

/** DynamoDB, for requests without AWS's SDK. */
export const DYNAMODB: Service = {
  title: 'DynamoDB',
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  firstDelayMs: 25,
  maxAttempts: 4,
  tellingMembers: ['Item', 'CancellationReasons', 'ThrottlingReasons'],
  unanswered,
  noCredentials: () =>
    new StoreError('AWS credentials were not found in time: what gives them did not answer', {
      isRetryable: true,
      code: 'BATCHLATCH_STORE_SILENT',
    }),
};

function unanswered(why: 'given-up' | 'silent', cause?: Error): StoreError {
  return new StoreError(
    why === 'silent'
      ? `DynamoDB did not answer within ${DYNAMODB_REQUEST_MS / 1_000} seconds`
      : 'DynamoDB had not answered when the invocation had to answer',
    { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
