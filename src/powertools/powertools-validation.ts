import type { KeySelector } from '../keys/key-selector.ts';
import { required } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { isText } from './is-text.ts';
import { payloadChecks, type PowertoolsPayloadOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

/**
 * For `payloadValidation`: the hash that Powertools stores for `payloadValidationJmesPath`.
 *
 * @param options What of the record is compared.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 */
export function powertoolsValidation(
  options: PowertoolsPayloadOptions & { readonly payloadValidationJmesPath: string },
): KeySelector {
  checkOptionsOf('powertoolsValidation', options, {
    ...payloadChecks,
    payloadValidationJmesPath: required({
      expected: 'a JMESPath expression',
      accepts: (value) => typeof value === 'string' && isText(value),
    }),
  });
  const { payloadValidationJmesPath, ...payloadOptions } = options;
  const select = selectorOf('payloadValidationJmesPath', payloadValidationJmesPath, payloadOptions);
  return (record) => powertoolsHash(select(record), payloadOptions.hashFunction);
}
