import { ConfigurationError } from '../base/errors.ts';
import { unstartedClaims } from '../attempts/unstarted-claims.ts';
import { defaultPorts } from '../functions/default-ports.ts';
import { answerOnce } from './answer-once.ts';
import type { Exchange } from './exchange.ts';
import { warnOfError } from './default-on-error.ts';
import { checkHttpOptions, type HttpIdempotencyOptions, resolveHttpOptions } from './options.ts';

/** What both kinds of handlers have in common: the options, once, and then an answer for each exchange. */
export function idempotentHttp<Request, Native>(
  handler: unknown,
  options: HttpIdempotencyOptions<Request>,
): (exchange: Omit<Exchange<Native>, 'scope' | 'mayReplay'>, native: Request) => Promise<Native> {
  assertFunction(handler, 'handler');
  checkHttpOptions(options);
  const given = defaultPorts(options);
  const ports = { ...given, unstarted: unstartedClaims(given.store) };
  const settings = resolveHttpOptions(options, ports.store.maxResultBytes);
  const onError = harmless(options.onError ?? warnOfError);
  const { scope, authorizeReplay } = options;
  return (exchange, native) => {
    const scopeOf = (): unknown => (typeof scope === 'function' ? scope(native) : scope);
    const mayReplay = async (): Promise<unknown> =>
      authorizeReplay === undefined ? true : authorizeReplay(native);
    return answerOnce({ ...exchange, scope: scopeOf, mayReplay }, settings, ports, onError);
  };
}

export function assertFunction(given: unknown, name: string): void {
  if (typeof given !== 'function') {
    throw new ConfigurationError(`Expected the ${name} to be a function, got ${typeof given}`);
  }
}

/** An error of `onError` changes nothing. */
function harmless(onError: (error: unknown) => void): (error: unknown) => void {
  return (thrown) => {
    try {
      const returned: unknown = onError(thrown);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // There is no one else to report it to.
    }
  };
}
