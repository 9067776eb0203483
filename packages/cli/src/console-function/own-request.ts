import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../console/api-error.ts';
import { assertJson, foreignPage } from '../console/security.ts';
import type { ConsoleConfig } from './config.ts';

const OWN_PAGE = 'x-batchlatch-console';
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/**
 * Throws if another page sent a request of the API: a browser adds the load balancer's cookie to it, and a
 * proxy signs it. A POST must be JSON and have the header of the console's pages. Behind a load balancer it
 * must have the console's own `Origin` too, which browsers always send.
 */
export function assertOwnRequest(
  method: string,
  headers: IncomingHttpHeaders,
  { kind }: ConsoleConfig['entrance'],
): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwnOrigin =
    origin === `https://${host}` || (kind === 'function-url' && LOOPBACK.test(origin ?? 'none'));
  if (origin !== undefined && !isOwnOrigin) throw foreignPage();
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreignPage();
  if (method !== 'POST') return;
  assertJson(headers);
  if (headers[OWN_PAGE] === undefined) {
    throw new ApiError(403, 'no-page', `Send the header \`${OWN_PAGE}\`, as the console's pages do.`);
  }
  const needsOrigin = kind === 'load-balancer' || site !== undefined;
  if (site === 'none' || (needsOrigin && origin === undefined)) throw foreignPage();
}
