import type { Claim } from '../claims/claim.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import type { ClaimPage, ClaimQuery } from '../claims/operable-store.ts';
import { operableOf } from './operable-store.ts';

/** Options of calls that read. */
export interface ReadOptions {
  /** Once aborted, the call is given up. */
  readonly signal?: AbortSignal;
}

/**
 * Lists claims, a page at a time: `next` of a page is the `cursor` of the one after it. Claims that are in progress,
 * overdue or parked are found by the table's index where it has one, all others by a scan, which reads rows of every
 * state; `readBy`, `rowsRead` and `readUnits` say what it took. A page may be empty and still not be the last.
 *
 * Throws a `ConfigurationError` for a query that cannot be and for a store that cannot list, and a `StoreError` when the
 * store fails.
 *
 * @param store The store whose claims are listed.
 * @param query Which claims, and how many at once. Default: all of them, 100 at once.
 * @param options When to give up.
 *
 * @example
 * const { claims, next } = await listClaims(dynamoDBStore(), { state: 'parked', limit: 20 });
 */
export async function listClaims(
  store: ClaimStore,
  query: ClaimQuery = {},
  options: ReadOptions = {},
): Promise<ClaimPage> {
  return operableOf(store).list(query, options);
}

/**
 * All claims of a query, one by one, over as many pages as there are; it reads the next page when it is asked for. Throws
 * as `listClaims` does.
 *
 * @param store The store whose claims are listed.
 * @param query Which claims. Default: all of them.
 * @param options When to give up.
 */
export async function* eachClaim(
  store: ClaimStore,
  query: ClaimQuery = {},
  options: ReadOptions = {},
): AsyncGenerator<Claim, void, undefined> {
  const operable = operableOf(store);
  let { cursor } = query;
  do {
    const page = await operable.list({ ...query, ...(cursor !== undefined && { cursor }) }, options);
    yield* page.claims;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * The claim of a key as it is stored, also when its lease has lapsed; undefined where there is none, or its retention is
 * over. Works with every store.
 *
 * @param store Any claim store.
 * @param key The idempotency key.
 * @param options When to give up.
 */
export async function inspectClaim(
  store: ClaimStore,
  key: string,
  options: ReadOptions = {},
): Promise<Claim | undefined> {
  options.signal?.throwIfAborted();
  return store.inspect(key);
}
