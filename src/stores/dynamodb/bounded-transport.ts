import { bounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';
import { Semaphore } from '../../base/semaphore.ts';
import type { Transport } from './transport.ts';
import { unanswered } from './unanswered.ts';

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
