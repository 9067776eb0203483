import { MalformedRecordError } from './errors.ts';
import type { SourceEntry } from './source.ts';

/** The members of what may be anything, as far as they are there. */
export function membersOf<Shape>(value: unknown): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {};
}

/** Whether there is any member in it. Without a list of them, for each of thousands of records. */
export function hasMembers(value: object | null | undefined): boolean {
  for (const _name in value) return true;
  return false;
}

/** A text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Such a text; undefined for everything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Epoch milliseconds of what streams give in seconds; undefined where they give none. */
export function epochMsOfSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined;
}

/** Epoch milliseconds of an ISO 8601 text; undefined where it is none. */
export function epochMsOfText(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The entry of a record that is not what its source promises. */
export function malformed(
  what: string,
  { itemIdentifier, lane }: Partial<Pick<SourceEntry, 'itemIdentifier' | 'lane'>>,
  problem: string,
): SourceEntry<never> {
  const error = new MalformedRecordError(`The ${what} is malformed: ${problem}`);
  return { itemIdentifier, lane, read: { error } };
}
