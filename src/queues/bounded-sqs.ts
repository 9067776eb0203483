import { boundedCall } from '../base/bounded-call.ts';
import type { Clock } from '../base/clock.ts';
import type { SqsClient } from './sqs-client.ts';

/** SQS answers in milliseconds; a response that waits for such a call should not wait for long. */
// rule: bounded-sqs-calls
const LONGEST_CALL_MS = 5_000;

/**
 * The client, none of whose calls takes longer than 5 seconds: the SDK's own waits without a limit by default,
 * and the answer to Lambda would wait with it.
 */
export function boundedSqs(client: SqsClient, clock: Clock): SqsClient {
  const bound = <Answer>(
    call: (options: { abortSignal: AbortSignal }) => Promise<Answer>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> =>
    boundedCall((abortSignal) => call({ abortSignal }), {
      clock,
      limitMs: LONGEST_CALL_MS,
      signal,
      errorOf: () => new Error(`SQS did not answer within ${LONGEST_CALL_MS / 1_000} seconds`),
    });
  return {
    changeMessageVisibilityBatch: (input, options) =>
      bound((own) => client.changeMessageVisibilityBatch(input, own), options?.abortSignal),
    sendMessage: (input, options) => bound((own) => client.sendMessage(input, own), options?.abortSignal),
  };
}
