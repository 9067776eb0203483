import { ConfigurationError } from '../base/errors.ts';

/**
 * Returns what the first argument of a `…Context` function has made for an attempt. Throws a
 * `ConfigurationError` unless it is a function: the work itself was passed, and ran with the context.
 */
export function madeFunction<Made>(made: Made): Made {
  if (typeof made === 'function') return made;
  if (made instanceof Promise) made.catch(() => undefined); // an unhandled rejection would end the process
  const shown = made instanceof Promise ? 'a promise' : typeof made;
  throw new ConfigurationError(
    `Expected the first argument to return a function, as \`(context) => async (…) => …\` does, got ${shown}`,
  );
}
