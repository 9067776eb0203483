import { boundedCall } from '../base/bounded-call.ts';
import type { StoreCallOptions } from './claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { decoratedStore } from './decorated-store.ts';
import type { OperableStore } from './operable-store.ts';
import { givenUp, silentFor } from './store-errors.ts';

/** A page may take several requests, one after the other. */
const LONGEST_CALL_MS = 60_000;

/**
 * A store whose calls for people end: with their answers, or after 60 seconds with a retryable `StoreError`
 * (`BATCHLATCH_STORE_SILENT`), whatever client it uses. Attempts never call them, so that only who operates has this
 * in a bundle.
 */
export function boundedOperations(store: OperableStore, clock: Clock): OperableStore {
  const bound = <Answer>(
    call: (options: StoreCallOptions) => Promise<Answer>,
    { signal }: StoreCallOptions = {},
  ): Promise<Answer> =>
    boundedCall((own) => call({ signal: own }), {
      clock,
      limitMs: LONGEST_CALL_MS,
      signal,
      errorOf: (why) => (why === 'silent' ? silentFor(LONGEST_CALL_MS) : givenUp()),
    });
  const { adopt } = store;
  return decoratedStore(store, {
    ...(adopt !== undefined && {
      adopt: (claims, options) => bound((own) => adopt.call(store, claims, own), options),
    }),
    list: (query, options) => bound((own) => store.list(query, own), options),
    count: (query, options) => bound((own) => store.count(query, own), options),
    operate: (operations, options) => bound((own) => store.operate(operations, own), options),
    inspect: (key) => bound(() => store.inspect(key)),
  }) as OperableStore;
}
