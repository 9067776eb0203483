import type { FilterJson, ClaimState } from '../api-types.ts';
import { STATES } from '../text/words.ts';

/** What a search looks for. */
export const SEARCH_BY = {
  prefix: 'Key begins with',
  key: 'Key is',
  record: 'Record id is',
  hash: 'Hash is',
} as const satisfies Record<NonNullable<FilterJson['by']>, string>;

type SearchBy = keyof typeof SEARCH_BY;

/** Which claims a list shows. `q` is empty where nothing is searched for. */
export interface ClaimFilter {
  readonly state?: ClaimState;
  readonly by: SearchBy;
  readonly q: string;
}

/** The filter that an address such as `?state=parked&by=prefix&q=orders%23` asks for. What it does not know it leaves out. */
export function filterOf(search: string): ClaimFilter {
  const parameters = new URLSearchParams(search);
  const state = STATES.find((name) => name === parameters.get('state'));
  const by = parameters.get('by') ?? '';
  return {
    ...(state !== undefined && { state }),
    by: Object.hasOwn(SEARCH_BY, by) ? (by as SearchBy) : 'prefix',
    q: parameters.get('q') ?? '',
  };
}

/** The filter as the API takes it: without a search that searches for nothing. */
export function requestOf({ state, by, q }: ClaimFilter): FilterJson {
  return { ...(state !== undefined && { state }), ...(q !== '' && { by, q }) };
}

/** The address of the list of these claims. */
export function hrefOf(filter: ClaimFilter): string {
  const parameters = new URLSearchParams(Object.entries(requestOf(filter)));
  return parameters.size === 0 ? '/claims' : `/claims?${parameters.toString()}`;
}

/** The address of one claim's page. */
export function claimHref(key: string): string {
  return `/claim?${new URLSearchParams({ key }).toString()}`;
}

/** A filter in words, such as `parked, key begins with orders#`. */
export function filterText({ state, by, q }: ClaimFilter): string {
  const parts = [state?.replace('-', ' '), q === '' ? undefined : `${SEARCH_BY[by].toLowerCase()} ${q}`];
  return parts.filter((part) => part !== undefined).join(', ') || 'all claims';
}
