import type { HttpResponse } from './exchange.ts';

/** The headers of a response that are stored for replays. Names in any case. */
export interface HeaderOptions {
  /** Headers to store although they carry credentials, such as `set-cookie`. Default: none. */
  readonly keep?: readonly string[];
  /** Headers to leave out, besides the built-in lists. Default: none. */
  readonly drop?: readonly string[];
}

type Headers = HttpResponse['headers'];
export type KeepHeaders = (headers: Headers) => Headers;

/** Headers of one connection or moment; a replay gets its own. Never stored. */
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

/** Credentials, meant for the sender of the first request: another caller of the same scope may repeat it. */
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

/** The prefix that API Gateway adds to the names of some headers. */
const REMAPPED = 'x-amzn-remapped-';

/** Returns a filter for replayable headers: no credentials, none of the connection or named by it. */
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
