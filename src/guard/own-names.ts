import type { IncomingHttpHeaders } from 'node:http';
import { builtIn } from '../base/built-in.ts';

/** The names by which requests may address a server. */
export interface OwnNames {
  /**
   * Whether a `Host` is this server's. The name of a foreign page that resolves to this address is not.
   *
   * @param host The header `Host` of a request.
   */
  isOwnHost(host: string | undefined): boolean;
  /**
   * Whether an `Origin` is this server's.
   *
   * @param origin The header `Origin` of a request.
   * @param host Its header `Host`.
   */
  isOwnOrigin(origin: string | undefined, host: string | undefined): boolean;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const EVERYWHERE = new Set(['0.0.0.0', '::']);

/**
 * The names of a server that listens on `host`, and further names that the user gave. Their port may be
 * any: the server may be behind a forwarded port, and no foreign page has one of these names. A server that
 * listens on every address takes any IP address, but of names only the machine's.
 *
 * @param host What the server listens on.
 * @param allowed Further names by which the server may be addressed.
 */
export function ownNames(host: string, allowed: readonly string[] = []): OwnNames {
  const own = [bracketed(host), ...(isLoopback(host) ? LOOPBACK : []), ...allowed];
  const names = new Set(own.map((name) => name.toLowerCase()));
  const isOwn = (name: string): boolean => names.has(name) || (EVERYWHERE.has(host) && isOfThisMachine(name));
  return {
    isOwnHost: (given) => given !== undefined && isOwn(given.toLowerCase().replace(/:\d+$/, '')),
    isOwnOrigin: (origin, given) =>
      origin !== undefined && given !== undefined && origin.toLowerCase() === `http://${given.toLowerCase()}`,
  };
}

/**
 * Whether a page of another origin made the browser ask, as its `Origin` shows, or `Sec-Fetch-Site` alone, as for an image.
 * `same-site` is another port of this machine. False for the server's own pages and for programs, which send neither header.
 *
 * @param headers Of the request.
 * @param names Of the server that was asked, as `ownNames` gives them.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders, names: OwnNames): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !names.isOwnOrigin(origin, host)) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Whether a server that listens on this host is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

function isOfThisMachine(name: string): boolean {
  return (
    builtIn('node:net').isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
    name === 'localhost' ||
    name === builtIn('node:os').hostname().toLowerCase()
  );
}

/** A host as URLs have it: IPv6 addresses in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
