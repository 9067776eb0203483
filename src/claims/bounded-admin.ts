import { boundedCall } from '../base/bounded-call.ts';
import type { Clock } from '../base/clock.ts';
import type { Claim } from './claim.ts';
import type { ClaimAdmin } from './claim-admin.ts';
import type { StoreCallOptions } from './claim-store.ts';
import { givenUp, silentFor } from './store-errors.ts';

/** A page may take several requests, one after the other. */
const LONGEST_CALL_MS = 60_000;

/**
 * An admin whose calls end: with their answers, or after 60 seconds with a retryable `StoreError` (`BATCHLATCH_STORE_SILENT`),
 * whatever client it uses.
 */
export function boundedAdmin(admin: ClaimAdmin, clock: Clock): ClaimAdmin {
  const { requestSize, adopt } = admin;
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
  return {
    ...(requestSize !== undefined && { requestSize }),
    list: (query, options) => bound((own) => admin.list(query, own), options),
    count: (query, options) => bound((own) => admin.count(query, own), options),
    read: (key, options) => bound((own) => admin.read(key, own), options),
    change: (changes, options) => bound((own) => admin.change(changes, own), options),
    ...(adopt !== undefined && {
      adopt: (claims: readonly Claim[], options?: StoreCallOptions) =>
        bound((own) => adopt.call(admin, claims, own), options),
    }),
  };
}
