import { setImmediate as immediate } from 'node:timers/promises';
import {
  type Claim,
  type ClaimAdmin,
  type ClaimPage,
  type ClaimState,
  findClaims,
  inspectClaim,
  listClaims,
  type ParkedKind,
  parkedKindOf,
  stateOf,
} from 'batchlatch/operations';
import type { FilterJson } from './api.ts';
import { badRequest } from './api-error.ts';

/** A filter for claims. */
export interface ClaimFilter {
  readonly state?: ClaimState;
  /** Only parked claims of this kind; `state` is then `parked`. */
  readonly parked?: ParkedKind;
  /** The meaning of `q`. Default: a key prefix. */
  readonly by: 'key' | 'prefix' | 'record' | 'hash';
  /** The value to search for; empty for all keys. */
  readonly q: string;
}

export const STATES: readonly ClaimState[] = ['in-progress', 'overdue', 'failed', 'parked', 'completed'];
export const PARKED_KINDS: readonly ParkedKind[] = ['lapsed', 'failed', 'attempts', 'done'];

/** Converts a checked input to a filter. Throws an `ApiError` if `by` has no `q`. */
export function filterOf({ state, parked, by = 'prefix', q = '' }: FilterJson): ClaimFilter {
  if (by !== 'prefix' && q.trim() === '')
    throw badRequest(`Expected \`q\` to be the value to search for, as \`by\` is '${by}'.`);
  if (parked === undefined) return { by, q, ...(state !== undefined && { state }) };
  if (state !== undefined && state !== 'parked') {
    throw badRequest(`Expected \`parked\` without \`state\`, or with \`parked\`, got \`${state}\`.`);
  }
  return { by, q, state: 'parked', parked };
}

export async function readPage(
  store: ClaimAdmin,
  { state, parked, by, q }: ClaimFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<ClaimPage> {
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  if (by === 'prefix' || q === '') {
    const query = { ...page, ...(state !== undefined && { state }), keyPrefix: q };
    return listClaims(store, { ...query, ...(parked !== undefined && { parked }) }, { signal });
  }
  const found = await (by === 'key'
    ? oneOf(store, q, signal)
    : findClaims(store, by === 'record' ? { recordId: q } : { keyHash: q.trim() }, { ...page, signal }));
  if (state === undefined) return found;
  const isWanted = (claim: Claim): boolean =>
    stateOf(claim, now) === state && (parked === undefined || parkedKindOf(claim) === parked);
  return { ...found, claims: found.claims.filter(isWanted) };
}

async function oneOf(store: ClaimAdmin, key: string, signal: AbortSignal): Promise<ClaimPage> {
  const claim = await inspectClaim(store, key, { signal });
  const claims = claim === undefined ? [] : [claim];
  return { claims, readBy: 'index', rowsRead: claims.length };
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
