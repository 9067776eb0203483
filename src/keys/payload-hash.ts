import { hash } from 'node:crypto';
import { ConfigurationError } from '../base/errors.ts';
import { canonicalHash, canonicalText } from './canonical-json.ts';
import { KeyError } from './errors.ts';
import { type KeySelector, withEffort } from './key-selector.ts';
import type { PathIn } from './path-in.ts';
import { findAt, parsePath, type PayloadPath, valueAt, withoutPaths } from './payload-path.ts';
import { aListOf, checkOptionsOf } from '../options/check-options.ts';
import type { Uninferred } from '../options/uninferred.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import { parseJsonOrText } from '../sources/json-text.ts';
import type { BatchRecord } from '../sources/record.ts';

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

/**
 * What of a payload makes its hash. With neither option: all of it. Both together are an error.
 *
 * @typeParam Payload The type of the payload, whose members the paths name. Default: any paths.
 */
export interface PayloadHashOptions<Payload = unknown> {
  /**
   * Only these values make the key, with their paths, e.g. `['orderId', 'customer.id']`; at least one, each of one
   * value, without `*`. A payload that lacks one fails (`BATCHLATCH_KEY`). Default: all values.
   */
  readonly include?: readonly PathIn<Payload>[];
  /** The whole payload except these paths, e.g. `['sentAt', 'items.*.trace']`. Not with `include`. Default: none. */
  readonly exclude?: readonly PathIn<Payload, '*'>[];
}

const PATHS = aListOf("a list of paths such as ['orderId']");

/**
 * SHA-256 over RFC 8785 canonical JSON of the values that are included, or of all that are not excluded. `name` is
 * the public function whose options these are. Throws a `ConfigurationError` for options that cannot work; what it
 * gives throws a `KeyError` for a payload that has no such values, or no canonical form.
 */
export function contentHash(name: string, options: PayloadHashOptions): (payload: unknown) => string {
  checkOptionsOf(name, options, { include: PATHS, exclude: PATHS });
  const { include, exclude } = options;
  if (include !== undefined && exclude !== undefined) {
    throw new ConfigurationError(`${name}: Expected \`include\` or \`exclude\`, not both`);
  }
  if (include !== undefined) return hashOfIncluded(name, pathsOf('include', include));

  const excluded = exclude === undefined ? [] : pathsOf('exclude', exclude);
  return (payload) => canonicalHash(withoutPaths(payload, excluded));
}

/** Of the values together with their paths: another path with the same value is other work. */
function hashOfIncluded(name: string, included: readonly PayloadPath[]): (payload: unknown) => string {
  if (included.length === 0) {
    throw new ConfigurationError(
      'Expected `include` to have at least one path: an empty list would give all records the same key',
    );
  }
  if (included.some((path) => path.includes('*'))) {
    throw new ConfigurationError(
      'Expected the paths of `include` to name one value each; `*` is for `exclude`',
    );
  }
  const byName = new Map(included.map((path) => [path.join('.'), path]));
  const members = [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1)) // by code units, as canonical JSON has it
    .map(([text, path]) => ({ name: JSON.stringify(text), path }));
  const watch = watchPaths(name, included);
  return (payload) => {
    watch(payload);
    // The canonical form of an object with the paths as names, written at once: most keys are made this way.
    const written = members.map((member) => {
      const value = valueAt(payload, member.path);
      return `${member.name}:${canonicalText(value, member.path)}`;
    });
    return hash('sha256', `{${written.join(',')}}`);
  };
}

function pathsOf(option: string, paths: readonly string[]): PayloadPath[] {
  return paths.map((path) => parsePath(option, path));
}

/** After so many payloads, a path that none of them had is taken for a mistake. */
const ENOUGH = 10;

/**
 * Watches the first payloads for the paths of `include`. A record without one fails, which may be as it should be; a path
 * that none of the first ten has is more likely misspelt, and causes one warning.
 */
function watchPaths(name: string, paths: readonly PayloadPath[]): (payload: unknown) => void {
  let unseen = paths;
  let payloads = 0;
  return (payload) => {
    if (unseen.length === 0) return;
    unseen = unseen.filter((path) => findAt(payload, path) === undefined);
    payloads += 1;
    if (payloads < ENOUGH || unseen.length === 0) return;
    const listed = unseen.map((path) => `\`${path.join('.')}\``).join(', ');
    process.emitWarning(
      `None of the first ${ENOUGH} payloads has a value at ${listed}, which \`include\` of ${name} names; records without it fail. Is it misspelt?`,
      { type: 'BatchlatchWarning', code: 'BATCHLATCH_KEY_PATH_NEVER_SEEN' },
    );
    unseen = [];
  };
}
