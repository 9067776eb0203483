/**
 * What the library takes from Node, for the pages on which it runs in a browser. The bundler puts this in the
 * place of each `node:` module, and `process.getBuiltinModule` gives it for each. What no page comes to throws.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer/';

export { Buffer };

/** As `hash` of `node:crypto`; of its algorithms only this one is used. */
export function hash(algorithm: string, data: string | Uint8Array, encoding = 'hex'): string {
  if (algorithm !== 'sha256') throw new Error(`There is no ${algorithm} here`);
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return Buffer.from(sha256(bytes)).toString(encoding);
}

/** Owner tokens. This `Buffer` has no base64url, so their text is hexadecimal. */
export function randomBytes(size: number): { toString(): string } {
  const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(size)));
  return { toString: () => bytes.toString('hex') };
}

/** A browser has no bound, and does not tell who listens. */
export const setMaxListeners = (): void => undefined;
export const getEventListeners = (): readonly never[] => [];

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A browser does not tell; Node's default on a machine with 4 GB. */
export const getHeapStatistics = (): { readonly heap_size_limit: number } => ({
  heap_size_limit: 2_147_483_648,
});

/** The parts of `node:util` that check handlers and show values in messages of errors. */
export const inspect = Object.assign((value: unknown): string => JSON.stringify(value) ?? String(value), {
  custom: Symbol('inspect'),
});
export const types = {
  isGeneratorFunction: (value: unknown): boolean =>
    Object.prototype.toString.call(value).includes('Generator'),
};

export const gunzip = notHere('gunzip');
export const channel = notHere('channel');
export const promisify = (call: unknown): unknown => call;

function notHere(name: string): () => never {
  return () => {
    throw new Error(`${name} of Node is not there in a browser`);
  };
}

/** A page runs one thing at a time and has no asynchronous contexts to keep apart. */
export class AsyncResource {
  runInAsyncScope<This, Args extends unknown[], Result>(
    work: (this: This, ...args: Args) => Result,
    thisArg: This,
    ...args: Args
  ): Result {
    return work.apply(thisArg, args);
  }
}
