import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { boundedCall } from '../../claims/bounded-call.ts';
import type { Clock } from '../../claims/clock.ts';
import { StoreError } from '../../claims/errors.ts';

/**
 * A thousand claims written one by one would open as many connections at the same moment: more than a server's
 * accept queue takes, so that some wait for a second SYN until the connection times out, and enough failures
 * to use up the SDK's retries. 50 is also how many sockets the SDK opens unless told otherwise.
 */
const REQUESTS_AT_ONCE = 50;

/** Including the SDK's own retries; the store's own client gives up a connection without an answer before. */
const LONGEST_REQUEST_MS = 10_000;

/**
 * The client, at most 50 of its requests at a time, and none for longer than 10 seconds: a client of the SDK waits
 * without a limit by default, and 50 requests that hang would keep the process from claiming anything again.
 */
export function boundedClient(
  client: Pick<DynamoDBClient, 'send'>,
  clock: Clock,
): Pick<DynamoDBClient, 'send'> {
  const limit = pLimit(REQUESTS_AT_ONCE);
  const send = (
    command: Parameters<DynamoDBClient['send']>[0],
    options: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<unknown> =>
    limit(() => {
      if (options.abortSignal?.aborted === true) throw errorOf('given-up'); // while it waited for its turn
      return boundedCall(
        (abortSignal) => client.send(command, { ...options, abortSignal }) as Promise<unknown>,
        { clock, limitMs: LONGEST_REQUEST_MS, signal: options.abortSignal, errorOf },
      );
    });
  return { send: send as DynamoDBClient['send'] };
}

function errorOf(why: 'silent' | 'given-up'): StoreError {
  return new StoreError(
    why === 'silent'
      ? `DynamoDB did not answer within ${LONGEST_REQUEST_MS / 1_000} seconds`
      : 'DynamoDB had not answered when the invocation had to answer',
    { isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
