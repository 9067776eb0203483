import type { HttpResponse } from './exchange.ts';

/** Which headers of a response are kept for its replays. Names in any case. */
export interface HeaderOptions {
  /** Kept although they carry credentials, such as `set-cookie`; those of the connection never are. Default: none. */
  readonly keep?: readonly string[];
  /** Not kept, beside those that never are. Default: none. */
  readonly drop?: readonly string[];
}

type Headers = HttpResponse['headers'];
export type KeepHeaders = (headers: Headers) => Headers;

/** Headers of one connection or one moment; a replay gets its own. */
const OF_CONNECTION = new Set([
  'connection',
  'content-length',
  'date',
  'idempotency-replayed',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Meant for the sender of the first request only. A caller that repeats it has the same scope, but may be another one. */
const CREDENTIALS = new Set([
  'authentication-control',
  'authentication-info',
  'authorization',
  'cookie',
  'dpop',
  'dpop-nonce',
  'optional-www-authenticate',
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  'x-access-token',
  'x-amz-security-token',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
  'x-refresh-token',
  'x-xsrf-token',
]);

/** API Gateway puts this before the names of some headers. */
const REMAPPED = 'x-amzn-remapped-';

/** The headers that mean the same in a replay: not those of the connection, those it names, or credentials. */
export function headersToKeep({ keep = [], drop = [] }: HeaderOptions = {}): KeepHeaders {
  const [kept, dropped] = [keep, drop].map((names) => new Set(names.map((name) => name.toLowerCase())));
  return (headers) => {
    const ofConnection = new Set(
      headers
        .filter(([name]) => name.toLowerCase() === 'connection')
        .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
    );
    return headers.filter(([name]) => {
      const lower = name.toLowerCase();
      if (OF_CONNECTION.has(lower) || ofConnection.has(lower) || dropped?.has(lower) === true) return false;
      return kept?.has(lower) === true || !isCredential(lower);
    });
  };
}

function isCredential(lower: string): boolean {
  const name = lower.startsWith(REMAPPED) ? lower.slice(REMAPPED.length) : lower;
  return CREDENTIALS.has(name) || name.startsWith('proxy-');
}
