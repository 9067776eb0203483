import { randomUUID } from 'node:crypto';
import { systemClock } from '../claims/clock.ts';
import { storeWith } from '../claims/store-with.ts';
import { dynamoDBStoreFromEnvironment } from '../stores/dynamodb/store-from-environment.ts';
import type { ClaimOptions } from './options.ts';
import type { CallPorts } from './run-once.ts';

/**
 * The world as it is, but for what the options name.
 * Without a `store` and `CLAIMS_TABLE_NAME` it throws a `ConfigurationError` in Lambda; elsewhere the first call gets it.
 */
export function defaultPorts({
  store,
  clock = systemClock,
  ...additions
}: Pick<ClaimOptions, 'store' | 'clock' | 'cache' | 'resultStorage'>): CallPorts {
  return {
    store: storeWith(store ?? dynamoDBStoreFromEnvironment(), additions, clock, { fetch: true }),
    clock,
    random: Math.random,
    newOwner: randomUUID,
  };
}
