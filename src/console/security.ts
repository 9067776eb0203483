import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import type { OwnNames } from './own-names.ts';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What every answer says to the browser. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
}

/** Throws for a name that is not this server's: a page that had its own name resolve to this address would read all. */
export function assertOwnHost({ headers: { host } }: IncomingMessage, names: OwnNames): void {
  if (names.isOwnHost(host)) return;
  throw new ApiError(
    403,
    'foreign-host',
    'This name is not the console’s. Open the address that the terminal printed.',
  );
}

/**
 * Throws where another page made the browser ask. Browsers say so in `Sec-Fetch-Site`; `same-site` is another port of this
 * machine, which the cookie does not keep out.
 */
export function assertOwnPage({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ApiError(403, 'foreign-page', 'Another page may not ask this.');
}

/**
 * Throws where a request that does something may come from another page: it must be JSON, which no form can send, and of
 * this origin. What sends neither `Origin` nor `Sec-Fetch-Site` is no browser.
 */
export function assertOwnPost({ headers }: IncomingMessage, names: OwnNames): void {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError(403, 'not-json', 'Send `Content-Type: application/json`.');
  }
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isNoBrowser = origin === undefined && site === undefined;
  const isOwn = names.isOwnOrigin(origin, host) && (site === undefined || site === 'same-origin');
  if (isNoBrowser || isOwn) return;
  throw new ApiError(403, 'foreign-page', 'Another page may not ask this.');
}

/** Throws where changes are not allowed. */
export function assertChangesAllowed(allowChanges: boolean): void {
  if (allowChanges) return;
  throw new ApiError(
    403,
    'read-only',
    'This console only reads. Start it again with --allow-changes to change claims and redrive messages.',
  );
}
