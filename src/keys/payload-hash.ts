import { parseJsonOrText } from '../sources/parse-body.ts';
import type { BatchRecord } from '../sources/record.ts';
import { contentHash, type PayloadHashOptions } from './content-hash.ts';
import { KeyError } from './errors.ts';
import type { KeySelector } from './key-selector.ts';

export type { PayloadHashOptions } from './content-hash.ts';

/**
 * Same payload, same work, whatever id the message has: SHA-256 over RFC 8785 canonical JSON of the body,
 * so that member order, white space and `1.0` against `1` make no difference, while `1` and `"1"` do.
 * A body that is not JSON fails its record. Takes the body alone, so nothing that changes on redelivery.
 */
export function payloadHash(options: PayloadHashOptions = {}): KeySelector {
  const hash = contentHash('payloadHash', options);
  return (record) => hash(jsonBody(record));
}

/** The body as JSON; not the text that `record.body` falls back to. */
function jsonBody(record: BatchRecord): unknown {
  const { body, rawBody } = record;
  if (typeof body === 'string' && record.envelope === undefined && parseJsonOrText(rawBody) === rawBody) {
    throw new KeyError(
      'The body is not JSON, so it has no payload hash; use messageId() or a function as `key`',
    );
  }
  return body;
}
