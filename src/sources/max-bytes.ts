import { anInteger } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { defaultMaxBytes } from './function-memory.ts';

/** `maxBytes` of a decoder that has no other option. Throws a `ConfigurationError` for what cannot work. */
export function checkedMaxBytes(decoder: string, options: { readonly maxBytes?: number }): number {
  checkOptionsOf(decoder, options, { maxBytes: anInteger(1) });
  return options.maxBytes ?? defaultMaxBytes();
}
