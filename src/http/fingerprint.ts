import { hash } from 'node:crypto';
import { canonicalHash } from '../keys/canonical-json.ts';
import type { HttpRequest } from './http-message.ts';

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
      // Fatal: bytes that are no UTF-8 would all become one character, and different bodies the same.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      return `json:${canonicalHash(JSON.parse(text))}`;
    } catch {
      // No UTF-8, no JSON, too deep, or with integers that JSON cannot carry exactly: the bytes are what there is.
    }
  }
  return `bytes:${hash('sha256', body)}`;
}

/** By code units, never by a locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
