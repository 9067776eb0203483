import { randomUUID } from 'node:crypto';
import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../claims/clock.ts';
import { dynamoDBStoreFromEnvironment } from '../stores/dynamodb/store-from-environment.ts';
import type { CallPorts } from './run-once.ts';

/** The world as it is, but for what the options name. Throws a `ConfigurationError` where there is no store. */
export function defaultPorts({
  store,
  clock,
}: {
  store?: ClaimStore | undefined;
  clock?: Clock | undefined;
}): CallPorts {
  return {
    store: store ?? dynamoDBStoreFromEnvironment(),
    clock: clock ?? systemClock,
    random: Math.random,
    newOwner: randomUUID,
  };
}
