import { setImmediate as immediate } from 'node:timers/promises';
import {
  type Claim,
  type ClaimAdmin,
  type ClaimPage,
  type ClaimState,
  findClaims,
  listClaims,
  type NewerRow,
  type ParkedKind,
  parkedKindOf,
  releasedAt,
  stateOf,
} from 'batchlatch/operations';
import type { FilterJson } from './api.ts';
import { badRequest } from './api-error.ts';
import { isNarrow, matches, type Narrowing } from './claim-narrowing.ts';

/** A filter for claims. */
export interface ClaimFilter {
  readonly state?: ClaimState;
  /** Only parked claims of this kind; `state` is then `parked`. */
  readonly parked?: ParkedKind;
  /** Only failed claims that a person released (`yes`), or did not; `state` is then `failed`. */
  readonly released?: 'yes' | 'no';
  /** The meaning of `q`. Default: a key prefix. */
  readonly by: NonNullable<FilterJson['by']>;
  /** The value to search for; empty for all keys. */
  readonly q: string;
  readonly narrowing?: Narrowing;
}

export const STATES: readonly ClaimState[] = ['in-progress', 'overdue', 'failed', 'parked', 'completed'];
export const PARKED_KINDS: readonly ParkedKind[] = ['lapsed', 'failed', 'attempts', 'done'];

/** Converts a checked input to a filter. Throws an `ApiError` if `by` has no `q`. */
export function filterOf({
  state,
  parked,
  released,
  by = 'prefix',
  q = '',
  ...rest
}: FilterJson): ClaimFilter {
  if (by !== 'prefix' && q.trim() === '')
    throw badRequest(`Expected \`q\` to be the value to search for, as \`by\` is '${by}'.`);
  const narrowing = narrowingOf(rest);
  const search = { by, q, ...(isNarrow(narrowing) && { narrowing }) };
  if (released !== undefined) {
    if ((state ?? 'failed') === 'failed' && parked === undefined) {
      return { ...search, state: 'failed', released };
    }
    throw badRequest('Expected `released` without `state` and `parked`, or with the state `failed`.');
  }
  if (parked === undefined) return { ...search, ...(state !== undefined && { state }) };
  if (state !== undefined && state !== 'parked') {
    throw badRequest(`Expected \`parked\` without \`state\`, or with \`parked\`, got \`${state}\`.`);
  }
  return { ...search, state: 'parked', parked };
}

function narrowingOf({ type, error, holder, past, ...digits }: FilterJson): Narrowing {
  return {
    ...Object.fromEntries(Object.entries(digits).map(([name, value]) => [name, Number(value)])),
    ...(type !== undefined && { type }),
    ...(error !== undefined && { error }),
    ...(holder !== undefined && { holder }),
    ...(past !== undefined && { past }),
  };
}

interface PagePosition {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** How a page of claims is read. */
interface Reading {
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The most claims of one request to the store, and the rows after which a call that narrows ends. */
const STORE_PAGE = 1_000;
const MOST_ROWS = 10_000;

/** Reads a page. One that narrows may have more than `limit` claims, or none although more follow. */
export async function readPage(
  store: ClaimAdmin,
  { narrowing, ...filter }: ClaimFilter,
  { limit, cursor }: PagePosition,
  reading: Reading,
): Promise<ClaimPage> {
  if (narrowing === undefined) return readUnnarrowed(store, filter, { limit, cursor }, reading);
  const claims: Claim[] = [];
  const newer: NewerRow[] = [];
  let [rowsRead, readUnits, unreadable] = [0, 0, 0];
  let page: ClaimPage;
  let next = cursor;
  do {
    page = await readUnnarrowed(store, filter, { limit: STORE_PAGE, cursor: next }, reading);
    claims.push(...page.claims.filter((claim) => matches(claim, narrowing, reading.now)));
    newer.push(...(page.newer ?? []));
    rowsRead += page.rowsRead;
    readUnits += page.readUnits ?? 0;
    unreadable += page.unreadable ?? 0;
    next = page.next;
  } while (next !== undefined && claims.length < limit && rowsRead < MOST_ROWS);
  return {
    ...page,
    claims,
    rowsRead,
    ...(readUnits > 0 && { readUnits }),
    ...(unreadable > 0 && { unreadable }),
    ...(newer.length > 0 && { newer }),
  };
}

async function readUnnarrowed(
  store: ClaimAdmin,
  filter: ClaimFilter,
  { limit, cursor }: PagePosition,
  { now, signal }: Reading,
): Promise<ClaimPage> {
  const { state, parked, released, by, q } = filter;
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  if (by === 'prefix' || q === '') {
    const query = { ...page, ...(state !== undefined && { state }), keyPrefix: q };
    const found = await listClaims(store, { ...query, ...(parked !== undefined && { parked }) }, { signal });
    return released === undefined ? found : matching(found, filter, now);
  }
  const search = { key: { key: q }, record: { recordId: q }, hash: { keyHash: q.trim() }, any: { text: q } };
  return matching(await findClaims(store, search[by], { ...page, signal }), filter, now);
}

/** Returns the page with the claims whose state is wanted. */
export function matching(page: ClaimPage, { state, parked, released }: ClaimFilter, now: number): ClaimPage {
  if (state === undefined) return page;
  const isWanted = (claim: Claim): boolean =>
    stateOf(claim, now) === state &&
    (parked === undefined || parkedKindOf(claim) === parked) &&
    (released === undefined || (releasedAt(claim) !== undefined) === (released === 'yes'));
  return { ...page, claims: page.claims.filter(isWanted) };
}

export async function* eachPage(
  store: ClaimAdmin,
  filter: ClaimFilter,
  how: { readonly now: () => number; readonly signal: AbortSignal },
): AsyncGenerator<ClaimPage> {
  let cursor: string | undefined;
  do {
    const page = await readPage(
      store,
      filter,
      { limit: 1_000, cursor },
      { now: how.now(), signal: how.signal },
    );
    yield page;
    cursor = page.next;
    await immediate(); // a memory store would block all other requests
    how.signal.throwIfAborted();
  } while (cursor !== undefined);
}
