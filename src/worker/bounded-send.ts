import { stoppableCall } from '../base/bounded-call.ts';
import type { Clock } from '../base/clock.ts';
import type { SendToSqs } from './sqs-queue.ts';
import { SQS } from './sqs-service.ts';

const LONGEST_CALL_MS = 10_000;
/** A receive waits for messages for 20 seconds. */
const LONGEST_RECEIVE_MS = 30_000;

/**
 * Requests that do not wait for an answer without end, as AWS's SDK does by default: a receive that is never answered would keep
 * its receiver, and its share of the slots, until the worker stops.
 */
export function boundedSend(send: SendToSqs, clock: Clock): SendToSqs {
  return (operation, input, signal) => {
    const limitMs = operation === 'ReceiveMessage' ? LONGEST_RECEIVE_MS : LONGEST_CALL_MS;
    return stoppableCall((stop) => send(operation, input, stop), {
      clock,
      limitMs,
      signal,
      errorOf: (why) => SQS.unanswered(why, undefined, limitMs),
    });
  };
}
