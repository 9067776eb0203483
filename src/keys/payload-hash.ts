import { parseJsonOrText } from '../sources/json-text.ts';
import type { BatchRecord } from '../sources/record.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import { contentHash, type PayloadHashOptions } from './content-hash.ts';
import { KeyError } from './errors.ts';
import { type KeySelector, withEffort } from './key-selector.ts';
import type { Uninferred } from '../options/uninferred.ts';

export type { PayloadHashOptions } from './content-hash.ts';
export type { PathIn } from './path-in.ts';

/**
 * Same payload, same work, whatever id the message has: SHA-256 over RFC 8785 canonical JSON of the body,
 * so that member order, white space and `1.0` against `1` make no difference, while `1` and `"1"` do.
 * A body that is not JSON fails its record, and so does a number that a double does not hold exactly, such as
 * 1.000000000000000001. Takes the body alone, so nothing that changes on redelivery.
 *
 * @typeParam Body The type of the record's body, whose members the paths name. Default: any paths.
 * @param options Which members of the body count. Default: all of them.
 * @throws `ConfigurationError` for paths that cannot be read, and for both options together.
 */
export function payloadHash<Body = unknown>(
  options: PayloadHashOptions<Uninferred<Body>> = {},
): KeySelector<Body> {
  const hash = contentHash('payloadHash', options as PayloadHashOptions);
  return withEffort((record) => hash(jsonBody(record)), 'bounded');
}

/** The body as JSON; not the text that `record.body` falls back to. */
function jsonBody(record: BatchRecord): unknown {
  const { rawBody } = record;
  const body = exactBody(record);
  if (typeof body === 'string' && record.envelope === undefined && parseJsonOrText(rawBody) === rawBody) {
    throw new KeyError(
      'The body is not JSON, so it has no payload hash; use messageId() or a function as `key`',
    );
  }
  return body;
}
