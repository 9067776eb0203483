import type { Setting } from './model.ts';
import {
  asBoolean,
  asMembers,
  asNumber,
  asText,
  type Members,
  member,
  Unknown,
  type Value,
  whyUnknown,
} from './values.ts';

/** Properties with their lines in the file. */
export interface Place {
  readonly value: Members;
  /** The reason why properties that are not in `value` may still be set. */
  readonly unknown?: Unknown | undefined;
  readonly line?: number | undefined;
  lineOf(path: readonly string[]): number | undefined;
}

/** The expected types, for messages. */
const FORMS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [asText, 'a text'],
  [asNumber, 'a number'],
  [asBoolean, 'true or false'],
  [asMembers, 'a mapping'],
]);

/** Returns the setting at a path; `byDefault` if it is not set. */
export function setting<T>(
  place: Place,
  path: readonly string[],
  as: (value: Value) => T | undefined,
  byDefault?: T,
): Setting<T> {
  const property = path.join('.');
  const value = member(place.value, ...path) ?? place.unknown;
  if (value === undefined || value === null) return { value: byDefault, property, line: place.line };
  const line = place.lineOf(path);
  const why = whyUnknown(value);
  if (why !== undefined) return { unknown: why, property, line };
  const known = as(value);
  if (known !== undefined) return { value: known, property, line };
  const form = FORMS.get(as);
  const unknown = form === undefined ? 'its value is not understood' : `it must be ${form}`;
  return { unknown, isInvalid: true, property, line };
}

/** Returns the setting at a path as JSON; `byDefault` if it is not set. */
export function jsonSetting(place: Place, path: readonly string[], byDefault?: unknown): Setting<unknown> {
  const found = setting<Value>(place, path, (value) => value);
  const why = unknownWithin(found.value);
  if (why !== undefined) return { ...found, value: undefined, unknown: why };
  return { ...found, value: found.value === undefined ? byDefault : jsonOf(found.value) };
}

/** Returns a part of a place, such as a function's event. Missing properties get the line of `at`. */
export function placeIn(place: Place, path: readonly string[], at: readonly string[] = path): Place {
  const value = member(place.value, ...path);
  return {
    value: asMembers(value) ?? {},
    unknown: value instanceof Unknown ? value : place.unknown,
    line: place.lineOf(at),
    lineOf: (further) => place.lineOf([...path, ...further]),
  };
}

function unknownWithin(value: Value): string | undefined {
  const parts = Array.isArray(value) ? (value as readonly Value[]) : Object.values(asMembers(value) ?? {});
  return whyUnknown(value) ?? parts.map(unknownWithin).find((why) => why !== undefined);
}

function jsonOf(value: Value): unknown {
  if (Array.isArray(value)) return (value as readonly Value[]).map(jsonOf);
  const members = asMembers(value);
  if (members === undefined) return value instanceof Object ? asText(value) : value;
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, jsonOf(one)]));
}
