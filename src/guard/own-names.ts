import type { IncomingHttpHeaders } from 'node:http';
import { builtIn } from '../base/built-in.ts';

/** The names by which requests may address a server. */
export interface OwnNames {
  /**
   * Returns whether a `Host` header names this server, and not a foreign page that resolves to its address.
   *
   * @param host The `Host` header of a request.
   */
  isOwnHost(host: string | undefined): boolean;
  /**
   * Returns whether an `Origin` header is this server's.
   *
   * @param origin The `Origin` header of a request.
   * @param host The `Host` header of the request.
   */
  isOwnOrigin(origin: string | undefined, host: string | undefined): boolean;
}

const LOOPBACK = ['localhost', '[::1]'];
/** No name server can answer for an address, so a page of 127.0.0.0/8 is served by this machine. */
const LOOPBACK_ADDRESS = /^127(\.\d{1,3}){3}$/;
const EVERYWHERE = new Set(['0.0.0.0', '::']);

/**
 * Returns the names of a server that listens on `host`, and those in `allowed`. Any port is accepted, and on
 * a loopback host every loopback address: the server may be behind a forwarded port (`ssh -L`), and no
 * foreign page has one of these names. A server that listens on
 * every address accepts any IP address, but only the machine's own names.
 *
 * @param host The host on which the server listens.
 * @param allowed More names of the server.
 */
export function ownNames(host: string, allowed: readonly string[] = []): OwnNames {
  const own = [bracketed(host), ...(isLoopback(host) ? LOOPBACK : []), ...allowed];
  const names = new Set(own.map((name) => name.toLowerCase()));
  const isOwn = (name: string): boolean =>
    names.has(name) ||
    (isLoopback(host) && LOOPBACK_ADDRESS.test(name)) ||
    (EVERYWHERE.has(host) && isOfThisMachine(name));
  return {
    isOwnHost: (given) => given !== undefined && isOwn(given.toLowerCase().replace(/:\d+$/, '')),
    isOwnOrigin: (origin, given) =>
      origin !== undefined && given !== undefined && origin.toLowerCase() === `http://${given.toLowerCase()}`,
  };
}

/**
 * Returns whether a page of another origin sent the request, by its `Origin`, or by `Sec-Fetch-Site` alone,
 * as for an image. `same-site` is another port of this machine. Programs send neither header.
 *
 * @param headers The headers of the request.
 * @param names The server's names, from `ownNames`.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders, names: OwnNames): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && !names.isOwnOrigin(origin, host)) return true;
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns whether a server on this host can be reached from this machine only. */
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

/** Returns the host as in a URL: IPv6 addresses in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
