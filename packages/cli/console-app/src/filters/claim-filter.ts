import type { FilterJson, ClaimState, ParkedKind } from '../api-types.ts';
import { type Narrow, narrowIn, narrowText } from './narrow.ts';
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
  /** Absent where nothing else is asked for. */
  readonly narrow?: Narrow;
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
  const narrow = narrowIn(parameters);
  return {
    ...(state !== undefined && { state }),
    ...(parked !== undefined && { parked }),
    ...(released !== undefined && { released }),
    by: Object.hasOwn(SEARCH_BY, by) ? (by as SearchBy) : 'prefix',
    q: parameters.get('q') ?? '',
    ...(narrow !== undefined && { narrow }),
  };
}

/** The filter as the API takes it: without a search that searches for nothing. */
export function requestOf({ state, parked, released, by, q, narrow }: ClaimFilter): FilterJson {
  return {
    ...(state !== undefined && { state }),
    ...(parked !== undefined && { parked }),
    ...(released !== undefined && { released }),
    ...(q !== '' && { by, q }),
    ...narrow,
  };
}

/** Returns the address of the list of these claims. */
export function hrefOf(filter: ClaimFilter): string {
  const parameters = new URLSearchParams(Object.entries(requestOf(filter)));
  return parameters.size === 0 ? '/claims' : `/claims?${parameters.toString()}`;
}

/** The address of the list of the claims in a state, of which only some may be asked for. */
export function listHref(state: ClaimState | undefined, narrow?: Narrow): string {
  return hrefOf({
    by: 'prefix',
    q: '',
    ...(state !== undefined && { state }),
    ...(narrow !== undefined && { narrow }),
  });
}

/** The address of one claim's page. */
export function claimHref(key: string): string {
  return `/claim?${new URLSearchParams({ key }).toString()}`;
}

/** The address of a dead-letter queue, or of one message in it. */
export function messageHref(queue: string, message = ''): string {
  return `/dead-letters?${new URLSearchParams({ queue, ...(message !== '' && { message }) }).toString()}`;
}

/** A filter in words, such as `parked, key begins with orders#`. */
export function filterText({ state, parked, released, by, q, narrow }: ClaimFilter): string {
  const parts = [
    state?.replace('-', ' '),
    parked && PARKED_NAME[parked].toLowerCase(),
    released && (released === 'yes' ? 'released' : 'not released'),
    q === '' ? undefined : `${SEARCH_BY[by].toLowerCase()} ${q}`,
    narrow && narrowText(narrow),
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'all claims';
}
