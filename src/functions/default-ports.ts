import { randomUUID } from 'node:crypto';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
import { systemClock } from '../base/clock.ts';
import { engineStore } from '../claims/engine-store.ts';
import { withResultTexts } from '../claims/result-texts.ts';
import { defaultStore } from '../stores/dynamodb/dynamodb-store.ts';
import type { ClaimOptions } from './options.ts';
import type { CallPorts } from './run-once.ts';

/**
 * Returns the system clock and randomness, with the store and clock of the options. Without `store` and
 * `CLAIMS_TABLE_NAME` it throws a `ConfigurationError` in Lambda; elsewhere the first call rejects with it.
 */
export function defaultPorts({
  store,
  clock = systemClock,
}: Pick<ClaimOptions, 'store' | 'clock'>): CallPorts {
  const used = withResultTexts(engineStore(store ?? defaultStore(), clock));
  return {
    store: used,
    unstarted: unstartedClaims(used),
    clock,
    random: Math.random,
    newOwner: randomUUID,
  };
}
