import type * as Sdk from '@aws-sdk/client-dynamodb';
import type { Service } from '../../aws/service.ts';
import { bounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import type { StoreError } from '../../base/errors.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { StopSignal } from '../../base/stop.ts';
import { storeSilent, unansweredBy } from '../../claims/store-errors.ts';

/** The DynamoDB operations that the store uses, with types of the AWS SDK but none of its code. */
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
 * A sender of requests in DynamoDB's own JSON (`{ S: … }`), which retries temporary failures. Binary values
 * are passed as a `Uint8Array` with a `toJSON` of base64, and may return as base64.
 *
 * It throws errors shaped like the exceptions of the AWS SDK: `name`, `message`, `$fault`, `$metadata` with
 * `attempts`, and further members of the response, such as `Item` or `CancellationReasons`.
 */
export interface Transport {
  /** Whether each request ends within about 10 seconds, and when its signal is aborted. Default: false. */
  readonly isBounded?: boolean;
  /** Sends a request. Aborting `signal` ends the wait for the response, not the request itself. */
  send<Name extends Operation>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: StopSignal,
  ): Promise<Operations[Name]['output']>;
}

/**
 * The default of the AWS SDK. A thousand concurrent writes would overflow a server's accept queue, and the
 * failures would use up all retries.
 */
const REQUESTS_AT_ONCE = 50;

/**
 * Limits a transport to 50 concurrent requests of 10 seconds each: an SDK client waits without a limit, and
 * 50 hanging requests would block the process. A transport with its own limit gets no timer.
 */
export function boundedTransport(transport: Transport, clock: Clock): Transport {
  const slots = new Semaphore(REQUESTS_AT_ONCE);
  const limits = { send: { ms: DYNAMODB_REQUEST_MS, signalAt: 2 } };
  const limited = bounded(transport, limits, (why) => unanswered(why), clock);
  return {
    async send(operation, input, signal) {
      if (!slots.take()) await slots.turn();
      try {
        if (signal?.aborted === true) throw unanswered('given-up'); // aborted while waiting for a slot
        // rule: dynamodb-bound
        const isBounded = transport.isBounded === true;
        return await (isBounded ? transport : limited).send(operation, input, signal);
      } finally {
        slots.release();
      }
    },
  };
}

/** The parameters of DynamoDB for requests without the AWS SDK. */
export const DYNAMODB: Service = {
  title: 'DynamoDB',
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  firstDelayMs: 25,
  maxAttempts: 4,
  tellingMembers: ['Item', 'CancellationReasons', 'ThrottlingReasons'],
  unanswered,
  noCredentials: () => storeSilent('AWS credentials were not found in time'),
};

function unanswered(why: 'given-up' | 'silent', cause?: Error): StoreError {
  const within = `${DYNAMODB_REQUEST_MS / 1_000} seconds: in a VPC, add an endpoint`;
  return unansweredBy('DynamoDB', why, within, cause);
}
