import { builtIn } from '../base/built-in.ts';
import { anInteger, checkOptionsOf } from '../options/check-options.ts';

const MEBIBYTE = 1_048_576;

const MOST_DECODED_BYTES = 10 * MEBIBYTE;

/** Returns the bytes this process may use: the function's memory, or V8's heap limit if that is less. */
function memoryBytes(): number {
  const heap = builtIn('node:v8').getHeapStatistics().heap_size_limit;
  const configured = Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']) * MEBIBYTE;
  return configured > 0 ? Math.min(configured, heap) : heap;
}

/**
 * Returns the default `maxBytes` of one decoded payload: a 64th of the memory, at most 10 MB. Parsed JSON
 * takes up to 30 times the length of its text (`[[[[…`, measured on Node 20), and ten payloads may be in
 * memory at once.
 */
export function defaultMaxBytes(): number {
  return Math.min(MOST_DECODED_BYTES, Math.floor(memoryBytes() / 64));
}

export function maxParsedBytes(): number {
  return Math.floor(memoryBytes() / 16);
}

export function checkedMaxBytes(decoder: string, options: { readonly maxBytes?: number }): number {
  checkOptionsOf(decoder, options, { maxBytes: anInteger(1) });
  return options.maxBytes ?? defaultMaxBytes();
}
