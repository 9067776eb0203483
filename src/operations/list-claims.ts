import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimAdmin, ClaimPage, ClaimQuery, ClaimReading } from '../claims/claim-admin.ts';
import { leftOutOf } from '../claims/left-out.ts';
import type { Check } from '../options/check-options.ts';

/** Options of calls that read. */
export interface ReadOptions {
  /** Once aborted, the call is given up. */
  readonly signal?: AbortSignal;
}

/** The check of `signal`. */
export function aSignal(): Check {
  return {
    expected: 'an AbortSignal',
    accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
  };
}

/**
 * Lists claims, a page at a time: `next` of a page is the `cursor` of the one after it. Claims that are in progress,
 * overdue or parked are found by the table's index where it has one, all others by a scan, which reads rows of every
 * state; `readBy`, `rowsRead` and `readUnits` say what it took. A page may be empty and still not be the last.
 *
 * Throws a `ConfigurationError` for a query that cannot be, and a `StoreError` when the store fails.
 *
 * @param admin Of the store whose claims are listed.
 * @param query Which claims, and how many at once. Default: all of them, 100 at once.
 * @param options When to give up.
 *
 * @example
 * const { claims, next } = await listClaims(dynamoDBAdmin(), { state: 'parked', limit: 20 });
 */
export async function listClaims(
  admin: ClaimAdmin,
  query: ClaimQuery = {},
  options: ReadOptions = {},
): Promise<ClaimPage> {
  return admin.list(query, options);
}

/**
 * All claims of a query, one by one, over as many pages as there are; it reads the next page when it is asked for. Throws
 * as `listClaims` does.
 *
 * @param admin Of the store whose claims are listed.
 * @param query Which claims. Default: all of them.
 * @param options When to give up.
 */
export async function* eachClaim(
  admin: ClaimAdmin,
  query: ClaimQuery = {},
  options: ReadOptions = {},
): AsyncGenerator<Claim, void, undefined> {
  let { cursor } = query;
  do {
    const page = await admin.list({ ...query, ...defined({ cursor }) }, options);
    yield* page.claims;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * The claim of a key as it is stored, also when its lease has lapsed; undefined where there is none, or its retention is
 * over.
 *
 * @param admin Of the store that has the claim.
 * @param key The idempotency key.
 * @param options When to give up.
 */
export async function inspectClaim(
  admin: ClaimAdmin,
  key: string,
  options: ReadOptions = {},
): Promise<Claim | undefined> {
  options.signal?.throwIfAborted();
  return admin.read(key, options);
}

/** The cost of several pages of claims, and the rows that they left out. */
export type Cost = Omit<ClaimReading, 'next' | 'missingIndex'>;

export function withCost(sum: Cost, page: ClaimReading): Cost {
  const { readBy, rowsRead, readUnits } = page;
  return {
    readBy: readBy === 'scan' ? 'scan' : sum.readBy,
    rowsRead: sum.rowsRead + rowsRead,
    ...defined({ readUnits: readUnits === undefined ? sum.readUnits : (sum.readUnits ?? 0) + readUnits }),
    ...leftOutOf(sum, page),
  };
}
