import { isoTime } from '../../tool-base/iso-time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a text such as `3 min ago` or `in 2 h`. */
export function relativeTime(time: number, now: number): string {
  if (isoTime(time) === undefined) return '?';
  if (Math.abs(now - time) < SECOND) return 'now';
  const distance = duration(Math.abs(now - time));
  return time <= now ? `${distance} ago` : `in ${distance}`;
}

/** Returns a text such as `480 ms`, `12 s`, `3 min`, `2 h` or `5 d`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  if (ms > 0 && ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}
