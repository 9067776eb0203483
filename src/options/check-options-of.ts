import { ConfigurationError } from '../base/errors.ts';
import { type Check, checkOptions } from './check-options.ts';

/**
 * Validates the options of a factory, of which several may stand in one expression. Throws a `ConfigurationError` that
 * names the factory, the option and what it got.
 */
export function checkOptionsOf(
  factory: string,
  options: unknown,
  checks: Readonly<Record<string, Check>>,
): void {
  try {
    checkOptions(options, checks);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${factory}: ${error.message}`);
  }
}
