import { PermanentError } from 'batchlatch';

/** What stands for the work of these examples: a line of JSON on standard output. Without an id it fails for good. */
export function note(what: string, id: unknown, fields: object, signal: AbortSignal): void {
  if (typeof id !== 'string' || id === '') throw new PermanentError(`A ${what} needs an id`);
  signal.throwIfAborted();
  console.log(JSON.stringify({ message: what, id, ...fields }));
}
