import { bounded } from '../../base/bounded.ts';
import { systemClock } from '../../base/clock.ts';
import { REDIS_QUESTION_MS } from '../../base/limits.ts';
import { unansweredByStore } from '../../claims/store-errors.ts';
import type { Connection } from './connection.ts';

const QUESTION = { ms: REDIS_QUESTION_MS };

/**
 * A connection each of whose answers comes within 10 seconds, or an error: a client may keep commands for as long as it is not
 * connected. For questions to servers; calls about claims have bounds of their own (`engineStore`).
 */
export function boundedConnection(connection: Connection): Connection {
  const limits = { send: QUESTION, primaries: QUESTION };
  const limited = bounded(connection, limits, unansweredByStore, systemClock);
  return {
    ...connection,
    ...limited,
    primaries: async () => (await limited.primaries()).map(boundedConnection),
  };
}
