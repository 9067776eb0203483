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

/** Sets the security headers of every response. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  response.setHeader('Cache-Control', 'no-store');
}

/** Throws for a foreign `Host`, against DNS rebinding: such a page could read everything. */
export function assertOwnHost({ headers: { host } }: IncomingMessage, names: OwnNames): void {
  if (names.isOwnHost(host)) return;
  throw new ApiError(
    403,
    'foreign-host',
    'The console does not serve this host name. Open the address that the terminal printed.',
  );
}

/** Throws if another page sent the request, such as one on another port of this machine. */
export function assertOwnPage({ headers }: IncomingMessage, names: OwnNames): void {
  if (isFromForeignPage(headers, names)) throw foreignPage();
}

/**
 * Throws for a POST that is not JSON, which no form can send, or that a browser sends without naming this
 * origin. A request with neither `Origin` nor `Sec-Fetch-Site` does not come from a browser.
 */
export function assertOwnPost({ headers }: IncomingMessage): void {
  const { origin, 'content-type': type = '', 'sec-fetch-site': site } = headers;
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError(403, 'not-json', 'Send `Content-Type: application/json`.');
  }
  if (site === 'none' || (site !== undefined && origin === undefined)) throw foreignPage();
}

function foreignPage(): ApiError {
  return new ApiError(
    403,
    'foreign-page',
    'The request came from another page. Use the pages of the console.',
  );
}

export function assertChangesAllowed(allowChanges: boolean): void {
  if (allowChanges) return;
  throw new ApiError(
    403,
    'read-only',
    'This console is read-only. Restart it with --allow-changes to change claims and redrive messages.',
  );
}
