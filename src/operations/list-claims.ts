import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimAdmin, ClaimPage, ClaimQuery, ClaimReading } from '../claims/claim-admin.ts';
import { leftOutOf } from '../claims/left-out.ts';
import { ConfigurationError, hasCode } from '../base/errors.ts';
import type { Check } from '../options/check-options.ts';
import { PARKED_KINDS, type ParkedKind, parkedKindOf } from './parked-kind.ts';

/** A query of `listClaims` and `eachClaim`. */
export interface ListQuery extends ClaimQuery {
  /** Only parked claims of this kind. Implies `state: 'parked'`. Default: all kinds. */
  readonly parked?: ParkedKind;
}

/** Options of read calls. */
export interface ReadOptions {
  /** Aborting it cancels the call. */
  readonly signal?: AbortSignal;
}

export function aSignal(): Check {
  return {
    expected: 'an AbortSignal',
    accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
  };
}

/**
 * Lists claims, page by page: pass `next` of a page as the next `cursor`. Claims that are in progress,
 * overdue or parked are read from the table's index if it has one. Other states need a scan, which reads rows
 * of every state; `readBy`, `rowsRead` and `readUnits` report the cost. A page may be empty although more
 * follow.
 *
 * `parked` reads all parked claims and leaves out those of other kinds.
 *
 * Throws a `ConfigurationError` for an invalid query, and a `StoreError` when the store fails.
 *
 * @param admin The admin of the store whose claims are listed.
 * @param query Which claims to list, and the page size. Default: all claims, 100 a page.
 * @param options A signal that cancels the call.
 *
 * @example
 * const { claims, next } = await listClaims(dynamoDBAdmin(), { state: 'parked', limit: 20 });
 */
export async function listClaims(
  admin: ClaimAdmin,
  query: ListQuery = {},
  options: ReadOptions = {},
): Promise<ClaimPage> {
  const { parked, ...rest } = query;
  if (parked === undefined) return admin.list(rest, options);
  const { state = 'parked' } = rest;
  if (!PARKED_KINDS.includes(parked)) {
    throw new ConfigurationError(
      `Expected \`parked\` to be one of ${PARKED_KINDS.join(', ')}, got \`${parked}\``,
    );
  }
  if (state !== 'parked') {
    throw new ConfigurationError(
      `Expected \`parked\` without \`state\`, or with \`state: 'parked'\`, got \`${state}\``,
    );
  }
  const page = await admin.list({ ...rest, state }, options);
  return { ...page, claims: page.claims.filter((claim) => parkedKindOf(claim) === parked) };
}

/**
 * Yields all claims of a query. Each page is read when the loop reaches it. Throws as `listClaims` does.
 *
 * @param admin The admin of the store whose claims are listed.
 * @param query Which claims to yield. Default: all claims.
 * @param options A signal that cancels the call.
 */
export async function* eachClaim(
  admin: ClaimAdmin,
  query: ListQuery = {},
  options: ReadOptions = {},
): AsyncGenerator<Claim, void, undefined> {
  let { cursor } = query;
  do {
    const page = await listClaims(admin, { ...query, ...defined({ cursor }) }, options);
    yield* page.claims;
    cursor = page.next;
  } while (cursor !== undefined);
}

/**
 * Returns the stored claim of a key, even if its lease has lapsed; undefined if absent or expired.
 *
 * @param admin The admin of the store that holds the claim.
 * @param key The idempotency key.
 * @param options A signal that cancels the call.
 */
export async function inspectClaim(
  admin: ClaimAdmin,
  key: string,
  options: ReadOptions = {},
): Promise<Claim | undefined> {
  options.signal?.throwIfAborted();
  return admin.read(key, options);
}

const OF_ONE_KEY = ['BATCHLATCH_NOT_A_CLAIM', 'BATCHLATCH_NEWER_ROW', 'BATCHLATCH_KEY'];

/** Returns whether an error is about one key: its row is no claim or a newer one, or no store can hold it. */
export function isOfOneKey(error: unknown): boolean {
  return OF_ONE_KEY.some((code) => hasCode(error, code));
}

/** The cost of several pages, and the rows they left out. */
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
