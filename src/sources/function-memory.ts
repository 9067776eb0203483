import { getHeapStatistics } from 'node:v8';
import { anInteger, checkOptionsOf } from '../options/check-options.ts';

const MEBIBYTE = 1_048_576;

/** What decoders inflate, or fetch, at most where nothing else is said: 10 MB, and less in a small function. */
const MOST_DECODED_BYTES = 10 * MEBIBYTE;

/** What the process may use, in bytes: the function's memory, or V8's bound for its heap where that is less. */
function memoryBytes(): number {
  const heap = getHeapStatistics().heap_size_limit;
  const configured = Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) * MEBIBYTE;
  return configured > 0 ? Math.min(configured, heap) : heap;
}

/**
 * How many bytes one payload may be decoded to by default: a 64th of the memory, at most 10 MB. JSON takes up to 30 times
 * its text's length once it is parsed (`[[[[…`, measured on Node 20), and ten payloads may be there at once.
 */
export function defaultMaxBytes(): number {
  return Math.min(MOST_DECODED_BYTES, Math.floor(memoryBytes() / 64));
}

/** How many bytes one payload may take once it is parsed. */
export function maxParsedBytes(): number {
  return Math.floor(memoryBytes() / 16);
}

/** `maxBytes` of a decoder that has no other option. Throws a `ConfigurationError` for what cannot work. */
export function checkedMaxBytes(decoder: string, options: { readonly maxBytes?: number }): number {
  checkOptionsOf(decoder, options, { maxBytes: anInteger(1) });
  return options.maxBytes ?? defaultMaxBytes();
}
