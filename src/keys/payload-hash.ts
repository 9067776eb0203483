import { builtIn } from '../base/built-in.ts';
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
import type { WarningCode } from '../base/warning-code.ts';

const { hash } = builtIn('node:crypto');

/**
 * Returns the selector that hashes the body: SHA-256 of its RFC 8785 canonical JSON. Equal payloads are the
 * same work, whatever their message IDs. Member order, white space and `1.0` against `1` make no difference;
 * `1` and `"1"` do. Nothing that changes on redelivery is included.
 *
 * A record fails if its body is not JSON or has a number that a double cannot hold exactly, such as
 * 1.000000000000000001.
 *
 * @typeParam Body The type of the record's body, whose members the paths name. Default: any paths.
 * @param options The members of the body that are hashed. Default: all.
 * @throws `ConfigurationError` for invalid paths, and for both options together.
 */
export function payloadHash<Body = unknown>(
  options: PayloadHashOptions<Uninferred<Body>> = {},
): KeySelector<Body> {
  const hash = contentHash('payloadHash', options as PayloadHashOptions);
  return withEffort((record) => hash(jsonBody(record)), 'bounded');
}

/** Returns the body. Throws if it is not JSON, where `record.body` falls back to the text. */
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
 * The members of a payload that are hashed: `include` or `exclude`, not both. Default: all.
 *
 * @typeParam Payload The type of the payload, whose members the paths name. Default: any paths.
 */
export interface PayloadHashOptions<Payload = unknown> {
  /**
   * The only values that make the key, e.g. `['orderId', 'customer.id']`: at least one path, without `*`.
   * Their paths are hashed too. A payload without one of them fails (`BATCHLATCH_KEY`). Default: all values.
   */
  readonly include?: readonly PathIn<Payload>[];
  /** Paths to leave out of the key, e.g. `['sentAt', 'items.*.trace']`. Not with `include`. Default: none. */
  readonly exclude?: readonly PathIn<Payload, '*'>[];
}

const PATHS = aListOf("a list of paths such as ['orderId']");

/**
 * Returns the function that hashes the selected members; `name` is the public function with these options. It
 * throws a `KeyError` for a payload without the included values or without a canonical form.
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

/** Hashes values together with their paths: the same value at another path is other work. */
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
    .toSorted(([a], [b]) => (a < b ? -1 : 1)) // by code units, as in canonical JSON
    .map(([text, path]) => ({ name: JSON.stringify(text), path }));
  const watch = watchPaths(name, included);
  return (payload) => {
    watch(payload);
    // Most keys are made here, so the canonical form of `{ [path]: value }` is written directly.
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

const ENOUGH = 10;

/** Warns once if a path of `include` is missing in all of the first ten payloads: it may be misspelt. */
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
      `None of the first ${ENOUGH} payloads has a value at ${listed}, which \`include\` of ${name} names; ` +
        'records without it fail. Is it misspelt?',
      { type: 'BatchlatchWarning', code: 'BATCHLATCH_KEY_PATH_NEVER_SEEN' satisfies WarningCode },
    );
    unseen = [];
  };
}
