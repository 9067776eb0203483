import { hash } from 'node:crypto';
import { canonicalHash } from '../keys/canonical-json.ts';
import { jsonTextHash } from '../keys/json-text-hash.ts';
import type { HttpRequest } from './http-message.ts';

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
