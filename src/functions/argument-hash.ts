import type { Uninferred } from '../options/uninferred.ts';
import { contentHash, type PayloadHashOptions } from '../keys/payload-hash.ts';

/**
 * A `key` for functions whose first argument says what the work is: SHA-256 over RFC 8785 canonical JSON of it, or of
 * the values that are included, so that member order makes no difference.
 *
 * @typeParam Argument The type of the argument, whose members the paths name. Default: any paths.
 * @param options Which members of the argument count. Default: all of them.
 * @throws `ConfigurationError` for paths that cannot be read, and for both options together.
 *
 * @example
 * withIdempotency(charge, { namespace: 'charge', key: argumentHash({ include: ['orderId'] }) });
 */
export function argumentHash<Argument = unknown>(
  options: PayloadHashOptions<Uninferred<Argument>> = {},
): (argument: Argument) => string {
  return contentHash('argumentHash', options as PayloadHashOptions);
}
