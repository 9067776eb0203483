import type { IncomingHttpHeaders } from 'node:http';

/** What an answer says about when to come again: `x-amz-retry-after` in milliseconds, or `retry-after` in seconds. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = headers['x-amz-retry-after'];
  if (typeof milliseconds === 'string' && /^\d+$/.test(milliseconds)) return Number(milliseconds);
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
