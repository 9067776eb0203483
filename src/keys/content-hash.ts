import { ConfigurationError } from '../claims/errors.ts';
import { canonicalHash } from './canonical-json.ts';
import { parsePath, valueAt, withoutPaths } from './payload-path.ts';

export interface PayloadHashOptions {
  /** Only these values make the key, e.g. `['orderId', 'customer.id']`. A payload that lacks one fails. */
  readonly include?: readonly string[];
  /** The whole payload but for these, e.g. `['sentAt', 'items.*.trace']`. */
  readonly exclude?: readonly string[];
}

/**
 * SHA-256 over RFC 8785 canonical JSON of the values that are included, or of all that are not excluded. `name` is
 * the public function whose options these are. Throws a `ConfigurationError` for options that cannot work; what it
 * gives throws a `KeyError` for a payload that has no such values, or no canonical form.
 */
export function contentHash(
  name: string,
  { include, exclude, ...unknown }: PayloadHashOptions,
): (payload: unknown) => string {
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(`Unknown option \`${stranger}\` of ${name}; known are include, exclude`);
  }
  if (include !== undefined && exclude !== undefined) {
    throw new ConfigurationError(`Expected ${name} to have \`include\` or \`exclude\`, not both`);
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

  return (payload) => {
    if (included === undefined) return canonicalHash(withoutPaths(payload, excluded));
    return canonicalHash(included.map((path) => valueAt(payload, path)));
  };
}
