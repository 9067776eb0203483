import type { IncomingMessage, ServerResponse } from 'node:http';
import { isFromForeignPage, type OwnNames } from 'batchlatch/operations';
import { ApiError } from './api-error.ts';

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

/** Throws where another page made the browser ask, such as one of another port of this machine. */
export function assertOwnPage({ headers }: IncomingMessage, names: OwnNames): void {
  if (isFromForeignPage(headers, names)) throw foreignPage();
}

/**
 * Throws where a request that does something is not JSON, which no form can send, or where a browser sends
 * it without saying that it comes from a page of this origin. A request with neither `Origin` nor
 * `Sec-Fetch-Site` is not a browser's.
 */
export function assertOwnPost({ headers }: IncomingMessage): void {
  const { origin, 'content-type': type = '', 'sec-fetch-site': site } = headers;
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError(403, 'not-json', 'Send `Content-Type: application/json`.');
  }
  if (site === 'none' || (site !== undefined && origin === undefined)) throw foreignPage();
}

function foreignPage(): ApiError {
  return new ApiError(403, 'foreign-page', 'Another page may not ask this.');
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
