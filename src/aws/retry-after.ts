import type { IncomingHttpHeaders } from 'node:http';

/**
 * When to come again, in milliseconds from the answer on: `x-amz-retry-after` in milliseconds, or `retry-after` in seconds or as a
 * date, which is compared with the answer's own.
 */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = headers['x-amz-retry-after'];
  if (typeof milliseconds === 'string' && /^\d+$/.test(milliseconds)) return Number(milliseconds);
  const { 'retry-after': after, date } = headers;
  if (after === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1_000;
  const untilDate = Date.parse(after) - Date.parse(date ?? '');
  return Number.isNaN(untilDate) ? undefined : untilDate;
}
