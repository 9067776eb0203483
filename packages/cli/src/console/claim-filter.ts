import { setImmediate as immediate } from 'node:timers/promises';
import {
  type ClaimAdmin,
  type ClaimPage,
  type ClaimState,
  findClaims,
  inspectClaim,
  stateOf,
} from 'batchlatch/operations';
import type { FilterJson } from './api.ts';
import { badRequest } from './api-error.ts';

/** A filter for claims. */
export interface ClaimFilter {
  readonly state?: ClaimState;
  /** The meaning of `q`. Default: a key prefix. */
  readonly by: 'key' | 'prefix' | 'record' | 'hash';
  /** The value to search for; empty for all keys. */
  readonly q: string;
}

export const STATES: readonly ClaimState[] = ['in-progress', 'overdue', 'failed', 'parked', 'completed'];

/** Converts a checked input to a filter. Throws an `ApiError` if `by` has no `q`. */
export function filterOf({ state, by = 'prefix', q = '' }: FilterJson): ClaimFilter {
  if (by !== 'prefix' && q.trim() === '')
    throw badRequest(`Expected \`q\` to be the value to search for, as \`by\` is '${by}'.`);
  return { by, q, ...(state !== undefined && { state }) };
}

export async function readPage(
  store: ClaimAdmin,
  { state, by, q }: ClaimFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<ClaimPage> {
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  if (by === 'prefix' || q === '') {
    return store.list({ ...page, ...(state !== undefined && { state }), keyPrefix: q }, { signal });
  }
  const found = await (by === 'key'
    ? oneOf(store, q, signal)
    : findClaims(store, by === 'record' ? { recordId: q } : { keyHash: q.trim() }, { ...page, signal }));
  if (state === undefined) return found;
  return { ...found, claims: found.claims.filter((claim) => stateOf(claim, now) === state) };
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
