import type { IncomingHttpHeaders } from 'node:http';
import type { OwnNames } from './own-names.ts';

/** Why a server of this machine refuses a request. */
export type ForeignRequest = 'foreign-host' | 'foreign-page';

/**
 * Whether a web page made the browser send a request, and how that shows: a page whose own name was made to
 * resolve to this address sends that name as `Host`; any other page sends its `Origin`, or `Sec-Fetch-Site`
 * alone, as for an image. Undefined for the server's own pages and for programs, which send neither header.
 */
export function foreignRequest(headers: IncomingHttpHeaders, names: OwnNames): ForeignRequest | undefined {
  // Every browser sends `Host`; a health check by HTTP/1.0 may not.
  if (headers.host !== undefined && !names.isOwnHost(headers.host)) return 'foreign-host';
  return isFromForeignPage(headers, names) ? 'foreign-page' : undefined;
}

/**
 * Whether a page of another origin made the browser ask. `same-site` is another port of this machine.
 *
 * @param headers Of the request.
 * @param names Of the server that was asked, as `ownNames` gives them.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders, names: OwnNames): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !names.isOwnOrigin(origin, host)) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
