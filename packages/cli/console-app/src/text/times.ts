import type { Num } from '../api-types.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** More digits would say nothing. */
const LONGEST = 100_000 * DAY;

/**
 * Returns a text such as `480 ms`, `12 s`, `3 min 20 s`, `2 h 5 min` or `5 d 3 h`. Negative durations, from
 * clocks that differ, have a minus sign. A value that is not a number gives a question mark.
 */
export function durationText(given: Num): string {
  const ms = Number(given);
  if (!Number.isFinite(ms)) return '?';
  if (ms < 0) return `−${durationText(-ms)}`;
  if (ms >= LONGEST) return 'more than 100,000 d';
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${Number((Math.floor(ms / 100) / 10).toFixed(1))} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min');
  return two(ms, DAY, 'd', HOUR, 'h');
}

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const larges = Math.floor(ms / large);
  const smalls = Math.floor((ms % large) / small);
  return smalls === 0 ? `${larges} ${largeName}` : `${larges} ${largeName} ${smalls} ${smallName}`;
}

/** Returns a text with one unit, such as `3 min`, for lists that show the full time beside it. */
export function shortDuration(given: Num): string {
  const [number, unit] = durationText(given).split(' ');
  return unit === undefined ? (number ?? '?') : durationText(given).split(' ').slice(0, 2).join(' ');
}

/** Returns a text such as `3 min ago` or `in 2 h`. */
export function relativeText(iso: string | undefined | null, now: number): string {
  const time = Date.parse(iso ?? '');
  if (Number.isNaN(time)) return '?';
  const distance = now - time;
  if (Math.abs(distance) < SECOND) return 'now';
  const text = shortDuration(wholeSeconds(Math.abs(distance)));
  return distance > 0 ? `${text} ago` : `in ${text}`;
}

/** Rounds to seconds, because tenths would flicker. */
function wholeSeconds(ms: number): number {
  return ms - (ms % SECOND);
}

/** Returns the age in milliseconds; negative for the future, undefined if the time is invalid. */
export function ageOf(iso: string | undefined, now: number): number | undefined {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? undefined : now - time;
}

/** Returns ISO 8601; undefined if the time is invalid. */
export function isoOf(time: number): string | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Returns the time between two; negative if the second is earlier. */
export function between(from: string | undefined, to: string | undefined): number | undefined {
  const ms = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns local date and time to the second, such as `2026-01-10 11:57:00`. */
export function localTime(iso: string | number | undefined | null): string {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '?';
  const pad = (part: number): string => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${clockTime(date.getTime())}`;
}

/** Date and time in UTC, such as `2026-01-10 10:57:00 UTC`: what stands behind a local time. */
export function utcTime(iso: string | number | undefined | null): string {
  const date = new Date(iso ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '?';
  return `${date.toISOString().slice(0, -5).replace('T', ' ')} UTC`;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * The end of a sentence, on this machine's clock: `at 14:32` today, `on 3 December` on another day. An
 * estimate is `about 14:32`, and `about 14:32 on 3 December`.
 */
export function timePhrase(iso: string, now: number, isEstimate = false): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  const today = new Date(now);
  const clock = clockTime(date.getTime()).slice(0, -3);
  const year = date.getFullYear() === today.getFullYear() ? '' : ` ${date.getFullYear()}`;
  const day = `on ${date.getDate()} ${MONTHS[date.getMonth()]}${year}`;
  const isToday = date.toDateString() === today.toDateString();
  if (isEstimate) return isToday ? `about ${clock}` : `about ${clock} ${day}`;
  return isToday ? `at ${clock}` : day;
}

/** Returns the local time of day, such as `11:57:00`. */
function clockTime(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
