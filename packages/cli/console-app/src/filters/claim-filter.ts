import type { FilterJson, ClaimState, ParkedKind } from '../api-types.ts';
import { PARKED_KINDS, PARKED_NAME, STATES } from '../text/words.ts';

/** The kinds of search. */
export const SEARCH_BY = {
  any: 'Key or id is',
  prefix: 'Key begins with',
  key: 'Key is',
  record: 'Record id is',
  hash: 'Hash is',
} as const satisfies Record<NonNullable<FilterJson['by']>, string>;

type SearchBy = keyof typeof SEARCH_BY;

/** The filter of a list of claims. `q` is empty without a search. */
export interface ClaimFilter {
  readonly state?: ClaimState;
  /** Only parked claims of this kind; `state` is then `parked`. */
  readonly parked?: ParkedKind;
  /** Only claims that a person released, or the others; `state` is then `failed`. */
  readonly released?: 'yes' | 'no';
  readonly by: SearchBy;
  readonly q: string;
}

/** Whether a failed claim was released by a person. */
const RELEASED = ['yes', 'no'] as const;

/** Returns the filter in an address such as `?state=parked&by=prefix&q=orders%23`. Ignores unknown values. */
export function filterOf(search: string): ClaimFilter {
  const parameters = new URLSearchParams(search);
  const state = STATES.find((name) => name === parameters.get('state'));
  const parked = PARKED_KINDS.find((name) => state === 'parked' && name === parameters.get('parked'));
  const released = RELEASED.find((name) => state === 'failed' && name === parameters.get('released'));
  const by = parameters.get('by') ?? '';
  return {
    ...(state !== undefined && { state }),
    ...(parked !== undefined && { parked }),
    ...(released !== undefined && { released }),
    by: Object.hasOwn(SEARCH_BY, by) ? (by as SearchBy) : 'prefix',
    q: parameters.get('q') ?? '',
  };
}

/** Returns the filter for the API, without an empty search. */
export function requestOf({ state, parked, released, by, q }: ClaimFilter): FilterJson {
  return {
    ...(state !== undefined && { state }),
    ...(parked !== undefined && { parked }),
    ...(released !== undefined && { released }),
    ...(q !== '' && { by, q }),
  };
}

/** Returns the address of the list of these claims. */
export function hrefOf(filter: ClaimFilter): string {
  const parameters = new URLSearchParams(Object.entries(requestOf(filter)));
  return parameters.size === 0 ? '/claims' : `/claims?${parameters.toString()}`;
}

/** Returns the address of a claim's page. */
export function claimHref(key: string): string {
  return `/claim?${new URLSearchParams({ key }).toString()}`;
}

/** The address of a dead-letter queue, or of one message in it. */
export function messageHref(queue: string, message = ''): string {
  return `/dead-letters?${new URLSearchParams({ queue, ...(message !== '' && { message }) }).toString()}`;
}

/** Returns the filter in words, such as `parked, key begins with orders#`. */
export function filterText({ state, parked, released, by, q }: ClaimFilter): string {
  const parts = [
    state?.replace('-', ' '),
    parked && PARKED_NAME[parked].toLowerCase(),
    released && (released === 'yes' ? 'released' : 'not released'),
    q === '' ? undefined : `${SEARCH_BY[by].toLowerCase()} ${q}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'all claims';
}
