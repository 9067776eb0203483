import { boundedCall } from '../../base/bounded-call.ts';
import { systemClock } from '../../base/clock.ts';
import { silentFor } from '../../claims/store-errors.ts';
import type { Connection } from './connection.ts';

/** A question about a server's settings is answered at once, or there is nobody to answer. */
const LONGEST_QUESTION_MS = 10_000;

/**
 * A connection each of whose answers comes within 10 seconds, or an error: a client may keep commands for as long as it is not
 * connected. For questions to servers; calls about claims have bounds of their own (`engineStore`).
 */
export function boundedConnection(connection: Connection): Connection {
  const bounded = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
    boundedCall(call, {
      clock: systemClock,
      limitMs: LONGEST_QUESTION_MS,
      errorOf: () => silentFor(LONGEST_QUESTION_MS),
    });
  return {
    ...connection,
    send: (key, args) => bounded(() => connection.send(key, args)),
    primaries: async () => (await bounded(() => connection.primaries())).map(boundedConnection),
  };
}
