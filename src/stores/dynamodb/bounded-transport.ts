import { stoppableCall } from '../../base/bounded-call.ts';
import type { Clock } from '../../base/clock.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Transport } from './transport.ts';
import { LONGEST_REQUEST_MS, unanswered } from './unanswered.ts';

/**
 * A thousand claims written one by one would open as many connections at the same moment: more than a server's
 * accept queue takes, so that some wait for a second SYN until the connection times out, and enough failures
 * to use up all retries. 50 is also how many sockets AWS's SDK opens unless told otherwise.
 */
const REQUESTS_AT_ONCE = 50;

/**
 * The transport, at most 50 of its requests at a time, and none for longer than 10 seconds: a client of the SDK waits
 * without a limit by default, and 50 requests that hang would keep the process from claiming anything again. A transport that
 * bounds its requests by itself is spared the timer and the listener that this takes.
 */
export function boundedTransport(transport: Transport, clock: Clock): Transport {
  const slots = new Semaphore(REQUESTS_AT_ONCE);
  return {
    async send(operation, input, signal) {
      if (!slots.take()) await slots.turn();
      try {
        if (signal?.aborted === true) throw unanswered('given-up'); // while it waited for its turn
        // rule: dynamodb-bound
        if (transport.isBounded === true) return await transport.send(operation, input, signal);
        return await stoppableCall((stop) => transport.send(operation, input, stop), {
          clock,
          limitMs: LONGEST_REQUEST_MS,
          signal,
          errorOf: unanswered,
        });
      } finally {
        slots.release();
      }
    },
  };
}
