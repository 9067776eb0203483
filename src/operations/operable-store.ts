import { boundedOperations } from '../claims/bounded-operations.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { decoratedStore } from '../claims/decorated-store.ts';
import { ConfigurationError } from '../base/errors.ts';
import { isOperableStore, type OperableStore } from '../claims/operable-store.ts';
import { isOperated, type OperatedStore, type Operations, operationsOf } from '../claims/operated.ts';
import { operationsOnTable } from '../stores/dynamodb/operations.ts';
import { operationsOnTable as operationsOnPostgresTable } from '../stores/postgres/operations.ts';
import { operationsOnRedis } from '../stores/redis/operations.ts';

/**
 * The store with `list`, `count` and `operate`, each of whose calls ends within 60 seconds. The stores of databases leave these to
 * `batchlatch/operations`, so that functions do not carry them; behind `cached()` and `resultsIn()` they work too.
 * The functions of `batchlatch/operations` take any store and do this by themselves. Throws a
 * `ConfigurationError` for a store that people cannot operate on.
 *
 * @param store A claim store, as it is or wrapped.
 *
 * @example
 * const { count } = await operableStore(dynamoDBStore()).count({ state: 'parked' });
 */
export function operableStore(store: ClaimStore): OperableStore {
  return operableOf(store);
}

/** The same by a clock of the caller's. */
export function operableOf(store: ClaimStore, clock: Clock = systemClock): OperableStore {
  return boundedOperations(withOperations(store), clock);
}

/** The same without bounds, for who has its own. */
export function withOperations(store: ClaimStore): OperableStore {
  if (typeof store === 'object' && store !== null) {
    if (isOperableStore(store)) return store;
    if (isOperated(store)) return decoratedStore(store, operationsBy(store)) as OperableStore;
  }
  throw new ConfigurationError(
    'This claim store cannot be operated on: it has no list(), count() and operate(). ' +
      'dynamoDBStore() of batchlatch/dynamodb, postgresStore() of batchlatch/postgres and redisStore() of batchlatch/redis can be, also behind cached() and resultsIn()',
  );
}

/** Made when they are first asked for: which table it is, a store may not know before. */
function operationsBy(store: OperatedStore): Operations {
  let made: Operations | undefined;
  const operations = (): Operations => (made ??= operationsOf(store, operationsOn));
  return {
    list: async (...call) => operations().list(...call),
    count: async (...call) => operations().count(...call),
    operate: async (...call) => operations().operate(...call),
    async adopt(...call) {
      const { adopt } = operations();
      if (adopt === undefined) throw cannotAdopt();
      return adopt(...call);
    },
  };
}

/** For a store without `adopt`. */
export function cannotAdopt(): ConfigurationError {
  return new ConfigurationError('Claims cannot be copied into this store: it has no adopt()');
}

/** By the kind of rows: each store hands over what its own operations take. */
const KINDS: ReadonlyMap<string, (rows: never) => Operations> = new Map<string, (rows: never) => Operations>([
  ['dynamodb', operationsOnTable],
  ['postgres', operationsOnPostgresTable],
  ['redis', operationsOnRedis],
]);

function operationsOn(kind: string, rows: unknown): Operations {
  const operations = KINDS.get(kind);
  if (operations !== undefined) return operations(rows as never);
  throw new ConfigurationError(
    `This version of batchlatch/operations knows nothing of the rows of \`${kind}\``,
  );
}
