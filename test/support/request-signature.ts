import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A POST to `/`, as a server received it. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** AWS refuses a request that has one of these unsigned. */
const ALWAYS_SIGNED = /^(?:host|content-type|x-amz-.+)$/;

/**
 * Throws unless the request has a signature of version 4 that AWS would accept (docs.aws.amazon.com, "Create a signed
 * AWS API request"). Headers that are not signed may be any: AWS does not look at them.
 */
export function checkSignature({ headers, body }: SignedRequest, secretAccessKey: string): void {
  const found = /^AWS4-HMAC-SHA256 Credential=[^/]+\/(.+), ?SignedHeaders=(.+), ?Signature=(\w+)$/;
  const [, scope = '', names = '', signature] = found.exec(headers.authorization ?? '') ?? [];
  const signed = names.split(';');
  const unsigned = Object.keys(headers).filter((name) => ALWAYS_SIGNED.test(name) && !signed.includes(name));
  if (unsigned.length > 0) throw new Error(`Expected signed headers, got ${unsigned.join(', ')} unsigned`);
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/\s+/g, ' ')}\n`);
  const canonical = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  let key: string | Uint8Array = `AWS4${secretAccessKey}`;
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  const expected = createHmac('sha256', key).update(text).digest('hex');
  if (signature !== expected) throw new Error(`The signature does not match the request:\n${canonical}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
