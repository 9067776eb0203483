import type { IncomingHttpHeaders } from 'node:http';
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

/** The security headers of every response. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Throws for a foreign `Host`, against DNS rebinding: such a page could read everything. */
export function assertOwnHost({ host }: IncomingHttpHeaders, names: OwnNames): void {
  if (names.isOwnHost(host)) return;
  throw new ApiError(
    403,
    'foreign-host',
    'The console does not serve this host name. Open the address that the terminal printed.',
  );
}

/** Throws if another page sent the request, such as one on another port of this machine. */
export function assertOwnPage(headers: IncomingHttpHeaders, names: OwnNames): void {
  if (isFromForeignPage(headers, names)) throw foreignPage();
}

/**
 * Throws for a POST that is not JSON, which no form can send, or that a browser sends without naming this
 * origin. A request with neither `Origin` nor `Sec-Fetch-Site` does not come from a browser.
 */
export function assertOwnPost(headers: IncomingHttpHeaders): void {
  const { origin, 'sec-fetch-site': site } = headers;
  assertJson(headers);
  if (site === 'none' || (site !== undefined && origin === undefined)) throw foreignPage();
}

/** Throws for a body that a form could send. */
export function assertJson({ 'content-type': type = '' }: IncomingHttpHeaders): void {
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  throw new ApiError(
    403,
    'not-json',
    'The request is not declared as JSON. Send `Content-Type: application/json`.',
  );
}

/** Returns the error for a request of another page. */
export function foreignPage(): ApiError {
  return new ApiError(
    403,
    'foreign-page',
    'The request came from another page. Use the pages of the console.',
  );
}
