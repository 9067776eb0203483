import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../base/clock.ts';

/** AWS refuses signatures that are more than five minutes off; the SDK takes four for the reason of a refusal. */
const TOLERATED_MS = 240_000;
/** An answer that took longer has lain somewhere, as in a frozen process, and its date is over. */
const FRESH_MS = 10_000;

/** Errors that a wrong clock may be the reason of: CLOCK_SKEW_ERROR_CODES of @smithy/core 3.41.0 (retry). */
const SKEW_ERRORS = new Set([
  'AccessDeniedException',
  'AuthFailure',
  'InvalidSignatureException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);

/** The server's time, by this machine's clock and what answers said. */
export interface ServerTime {
  now(): number;
  /** As the SDK does it, from the `Date` of every answer, if no cache has kept it (`Age`). `sentAt` is by `now()`. */
  learn(headers: IncomingHttpHeaders, sentAt: number): void;
  /** Whether a refusal came from the time of the signature, and another signature would have a right one. */
  wasSkewed(errorName: string, signedAt: number): boolean;
}

export function serverTime(clock: Clock): ServerTime {
  let offsetMs = 0;
  let lastDate: string | undefined;
  const now = (): number => clock.now() + offsetMs;
  return {
    now,
    learn({ date, age }, sentAt) {
      if (date === undefined || date === lastDate || age !== undefined) return;
      if (now() - sentAt > FRESH_MS) return;
      const time = Date.parse(date);
      if (Number.isNaN(time)) return;
      lastDate = date;
      offsetMs = time - clock.now();
    },
    wasSkewed: (errorName, signedAt) =>
      SKEW_ERRORS.has(errorName) && Math.abs(now() - signedAt) >= TOLERATED_MS,
  };
}
