import { hash } from 'node:crypto';
import { attempted, type Exchange, type HttpRequest } from './exchange.ts';
import { type KeyHeader, readKeyHeader } from './idempotency-key-header.ts';
import type { HttpSettings } from './options.ts';
import { canonicalHash, jsonTextHash } from '../keys/canonical-json.ts';
import { KeyError } from '../keys/errors.ts';
import { keyString } from '../keys/key-string.ts';

/** A record, a call and a request with the same namespace and key are different work. */
const VERSION = 'http-v1';

/** What the request says in its key header. */
export function keyHeaderOf(
  request: HttpRequest,
  { header, keyRules }: HttpSettings,
  onError: (error: unknown) => void,
): KeyHeader {
  try {
    return readKeyHeader(request.header(header), keyRules);
  } catch (error) {
    onError(error); // of a `keyFormat` that throws
    return { kind: 'malformed', reason: 'its format could not be checked' };
  }
}

/** Undefined for a request without a caller, which is the client's error; a `scope` that throws may not be. */
export async function ownerOf<Native>(
  { scope }: Exchange<Native>,
  onError: (error: unknown) => void,
): Promise<string | undefined> {
  const owner = await attempted(scope);
  if ('thrown' in owner) {
    onError(new KeyError('The `scope` function failed for this request', { cause: owner.thrown }));
    return undefined;
  }
  return typeof owner.value === 'string' && owner.value !== '' ? owner.value : undefined;
}

/** Scope and key as one JSON text, so that they cannot run into each other. Undefined where no store could hold it. */
export function keyOf(
  owner: string,
  key: string,
  { namespace }: HttpSettings,
  onError: (error: unknown) => void,
): string | undefined {
  try {
    return keyString({
      of: 'request',
      prefix: { namespace: () => namespace, version: VERSION },
      key: () => JSON.stringify([owner, key]),
    });
  } catch (error) {
    onError(error);
    return undefined;
  }
}

/** Refuses other bytes: as replacement characters, different ones would be the same. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What has to be the same when a key comes again: method, path, query parameters in any order, and the body. A JSON
 * body counts by its value, whatever its member order and white space; any other by its bytes.
 */
export function fingerprint(request: HttpRequest, body: Uint8Array): string {
  const query = request.query.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return canonicalHash([request.method, request.path, query, bodyHash(request, body)]);
}

function bodyHash(request: HttpRequest, body: Uint8Array): string {
  const [contentType = ''] = request.header('content-type');
  if (/^[^;]*[/+]json\s*(;|$)/i.test(contentType)) {
    try {
      return `json:${jsonTextHash(UTF_8.decode(body))}`;
    } catch {
      // Not UTF-8, not JSON, too deep, or with numbers that JSON cannot carry exactly: the bytes are what there is.
    }
  }
  return `bytes:${hash('sha256', body)}`;
}

/** By code units, never by a locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
