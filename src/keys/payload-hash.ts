import { ConfigurationError } from '../claims/errors.ts';
import { parseJsonOrText } from '../sources/parse-body.ts';
import type { BatchRecord } from '../sources/record.ts';
import { canonicalHash } from './canonical-json.ts';
import { KeyError } from './errors.ts';
import type { KeySelector } from './key-selector.ts';
import { parsePath, valueAt, withoutPaths } from './payload-path.ts';

export interface PayloadHashOptions {
  /** Only these values make the key, e.g. `['orderId', 'customer.id']`. A record that lacks one fails. */
  readonly include?: readonly string[];
  /** The whole payload but for these, e.g. `['sentAt', 'items.*.trace']`. */
  readonly exclude?: readonly string[];
}

/**
 * Same payload, same work, whatever id the message has: SHA-256 over RFC 8785 canonical JSON of the body,
 * so that member order, white space and `1.0` against `1` make no difference, while `1` and `"1"` do.
 * A body that is not JSON fails its record. Takes the body alone, so nothing that changes on redelivery.
 */
export function payloadHash({ include, exclude, ...unknown }: PayloadHashOptions = {}): KeySelector {
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(`Unknown option \`${stranger}\` of payloadHash; known are include, exclude`);
  }
  if (include !== undefined && exclude !== undefined) {
    throw new ConfigurationError('Expected payloadHash to have `include` or `exclude`, not both');
  }
  if (include !== undefined && include.length === 0) {
    throw new ConfigurationError(
      'Expected `include` to hold a path: an empty one would give all records one key',
    );
  }
  const included = include?.map((path) => parsePath('include', path));
  if (included?.some((path) => path.includes('*'))) {
    throw new ConfigurationError(
      'Expected the paths of `include` to name one value each; `*` is for `exclude`',
    );
  }
  const excluded = (exclude ?? []).map((path) => parsePath('exclude', path));

  return (record) => {
    const payload = jsonBody(record);
    if (included === undefined) return canonicalHash(withoutPaths(payload, excluded));
    return canonicalHash(included.map((path) => valueAt(payload, path)));
  };
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
