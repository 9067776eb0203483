import { builtIn } from './built-in.ts';

/** Also an error of another realm, as a sandbox of tests makes it, and the abort of a `fetch` there. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error || builtIn('node:util').types.isNativeError(value)) return true;
  return Object.prototype.toString.call(value) === '[object DOMException]';
}
