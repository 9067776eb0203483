import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Which names of a host may stand in a request. */
export interface OwnNames {
  /** Whether a `Host` is this server's: a page of another name that has resolved to this address is not. */
  isOwnHost(host: string | undefined): boolean;
  /** Whether an `Origin` is this server's, for a request to this `Host`. */
  isOwnOrigin(origin: string | undefined, host: string | undefined): boolean;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const EVERYWHERE = new Set(['0.0.0.0', '::']);

/**
 * The names of a server that listens on `host` and `port`. A server that listens on every address may stand behind a
 * forwarded port, so any address and any port is its own; a name has to be the machine's.
 */
export function ownNames(host: string, port: number): OwnNames {
  const isOwnHost = EVERYWHERE.has(host) ? isOfThisMachine : isOneOf(namesOf(host), port);
  return {
    isOwnHost: (given) => given !== undefined && isOwnHost(given.toLowerCase()),
    isOwnOrigin: (origin, given) =>
      origin !== undefined && given !== undefined && origin.toLowerCase() === `http://${given.toLowerCase()}`,
  };
}

function namesOf(host: string): readonly string[] {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return [bracketed(host), ...(isLoopback ? LOOPBACK : [])].map((name) => name.toLowerCase());
}

function isOneOf(names: readonly string[], port: number): (given: string) => boolean {
  const hosts = new Set(names.map((name) => (port === 80 ? name : `${name}:${port}`)));
  return (given) => hosts.has(given);
}

function isOfThisMachine(given: string): boolean {
  const name = given.replace(/:\d+$/, '');
  return (
    isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === 'localhost' || name === hostname().toLowerCase()
  );
}

/** As it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
