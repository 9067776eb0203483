import { boundedOperations } from '../claims/bounded-operations.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../claims/clock.ts';
import { ConfigurationError } from '../claims/errors.ts';
import { isOperable, type OperableStore } from '../claims/operable-store.ts';

/** The store, each of whose calls ends. Throws a `ConfigurationError` for one that people cannot operate on. */
export function operableOf(store: ClaimStore, clock: Clock = systemClock): OperableStore {
  if (typeof store === 'object' && store !== null && isOperable(store))
    return boundedOperations(store, clock);
  throw new ConfigurationError(
    'This claim store cannot be operated on: it has no list(), count() and operate(). ' +
      'dynamoDBStore() of batchlatch/dynamodb has them, also behind cached() and resultsIn()',
  );
}
