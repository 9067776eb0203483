import type { Uninferred } from '../options/uninferred.ts';
import { contentHash, type PayloadHashOptions } from '../keys/payload-hash.ts';

/**
 * Makes a `key` from the function's first argument: SHA-256 over its RFC 8785 canonical JSON, or over the
 * included values, so that member order makes no difference.
 *
 * @typeParam Argument The type of the argument, for checking the paths. Default: any paths.
 * @param options Which members of the argument count. Default: all of them.
 * @throws `ConfigurationError` for invalid paths, and for both options together.
 *
 * @example
 * withIdempotency(charge, { namespace: 'charge', key: argumentHash({ include: ['orderId'] }) });
 */
export function argumentHash<Argument = unknown>(
  options: PayloadHashOptions<Uninferred<Argument>> = {},
): (argument: Argument) => string {
  return contentHash('argumentHash', options as PayloadHashOptions);
}
