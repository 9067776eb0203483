import { ConfigurationError } from '../claims/errors.ts';
import { defaultMaxBytes } from './function-memory.ts';

/** `maxBytes` of a decoder that has no other option. Throws a `ConfigurationError` for what cannot work. */
export function checkedMaxBytes(decoder: string, options: { readonly maxBytes?: number }): number {
  const { maxBytes = defaultMaxBytes(), ...unknown } = options;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(`Unknown option \`${stranger}\` of ${decoder}; known is maxBytes`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ConfigurationError(
      `Expected \`maxBytes\` of ${decoder} to be an integer from 1 up, got \`${String(maxBytes)}\``,
    );
  }
  return maxBytes;
}
