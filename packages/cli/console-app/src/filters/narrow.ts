import type { FilterJson } from '../api-types.ts';
import { durationText, localTime } from '../text/times.ts';

/** The part of a filter besides state and search: texts, as they stand in an address. */
export type Narrow = Pick<FilterJson, (typeof NAMES)[number]>;

const NAMES = [
  'type',
  'error',
  'holder',
  'past',
  'endedFrom',
  'endedBefore',
  'ranMs',
  'waitedMs',
  'ageMs',
] as const satisfies readonly (keyof FilterJson)[];

/** The name of each kind of past. */
export const PAST_NAME: Readonly<Record<NonNullable<Narrow['past']>, string>> = {
  'ran-twice': 'May have run twice',
  changed: 'Changed by a person',
};

/** Returns this part of an address; undefined if it has none. */
export function narrowIn(parameters: URLSearchParams): Narrow | undefined {
  const given = NAMES.flatMap((name) => {
    const value = parameters.get(name) ?? '';
    const isKnown = value !== '' && (name !== 'past' || Object.hasOwn(PAST_NAME, value));
    return isKnown ? [[name, value] as const] : [];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Returns it in words, such as `error CardDeclined, ran 5 s or longer`. */
export function narrowText(narrow: Narrow): string {
  const { type, error, holder, past, endedFrom, endedBefore, ranMs, waitedMs, ageMs } = narrow;
  const parts = [
    type && `type ${type}`,
    error && `error ${error}`,
    holder && `held by ${holder}`,
    past && PAST_NAME[past].toLowerCase(),
    endedFrom && `ended from ${localTime(Number(endedFrom))}`,
    endedBefore && `ended before ${localTime(Number(endedBefore))}`,
    ranMs && `ran ${durationText(ranMs)} or longer`,
    waitedMs && `waited ${durationText(waitedMs)} or longer`,
    ageMs && `first claimed ${durationText(ageMs)} ago or earlier`,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(', ');
}
