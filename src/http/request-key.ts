import { hash } from 'node:crypto';
import type { Call } from '../functions/run-once.ts';
import { attempted, type Exchange, type HttpRequest, type HttpResponse } from './exchange.ts';
import { type KeyHeader, readKeyHeader } from './idempotency-key-header.ts';
import type { HttpSettings } from './options.ts';
import { canonicalHash, jsonTextHash } from '../keys/canonical-json.ts';
import { KeyError } from '../keys/errors.ts';
import { keyString } from '../keys/key-string.ts';

/** The key version: a record, a call and a request with the same namespace and key are different work. */
const VERSION = 'http-v1';

export function keyHeaderOf(request: HttpRequest, { header, keyRules, onError }: HttpSettings): KeyHeader {
  try {
    return readKeyHeader(request.header(header), keyRules);
  } catch (error) {
    onError(error); // thrown by `keyFormat`
    return { kind: 'malformed', reason: 'its format could not be checked' };
  }
}

/** Returns the key and payload hash of a request, or a problem response. */
export async function workOf<Native>(
  { request, scope }: Exchange<Native>,
  header: KeyHeader,
  settings: HttpSettings,
): Promise<Pick<Call<unknown>, 'key' | 'payloadHash'> | HttpResponse> {
  const { problem, onError, maxBodyBytes } = settings;
  const malformed = (reason: string): HttpResponse =>
    problem('key-malformed', { detail: `The header \`${settings.header}\` cannot be used: ${reason}.` });

  if (header.kind === 'missing') {
    return problem('key-missing', { detail: `This operation needs the header \`${settings.header}\`.` });
  }
  if (header.kind === 'malformed') return malformed(header.reason);
  const owner = await attempted(scope);
  if ('thrown' in owner) {
    onError(new KeyError('The `scope` function failed for this request', { cause: owner.thrown }));
    return problem('caller-unknown');
  }
  if (typeof owner.value !== 'string' || owner.value === '') return problem('caller-unknown');
  const key = keyOf(owner.value, header.key, settings);
  if (key === undefined) return malformed('it is too long for this caller');
  const body = await request.body(maxBodyBytes);
  return body === 'too large'
    ? problem('body-too-large', { detail: `The body is larger than ${maxBodyBytes} bytes.` })
    : { key, payloadHash: fingerprint(request, body) };
}

/** Joins scope and key as JSON, which keeps them apart. Undefined if no store could hold the key. */
function keyOf(owner: string, key: string, { namespace, onError }: HttpSettings): string | undefined {
  const prefix = { namespace: () => namespace, version: VERSION };
  try {
    return keyString({ of: 'request', prefix, key: () => JSON.stringify([owner, key]) });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Fails on invalid UTF-8: replacement characters would make different bodies equal. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Hashes method, path, query parameters in any order, and body: JSON by value, anything else by bytes. */
function fingerprint(request: HttpRequest, body: Uint8Array): string {
  const query = request.query.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return canonicalHash([request.method, request.path, query, bodyHash(request, body)]);
}

function bodyHash(request: HttpRequest, body: Uint8Array): string {
  const [contentType = ''] = request.header('content-type');
  if (/^[^;]*[/+]json\s*(;|$)/i.test(contentType)) {
    try {
      return `json:${jsonTextHash(UTF_8.decode(body))}`;
    } catch {
      // Not UTF-8, not JSON, too deep, or with numbers that JSON cannot carry exactly: hash the bytes.
    }
  }
  return `bytes:${hash('sha256', body)}`;
}

/** Compares by code units, independent of the locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
