import { ConfigurationError } from '../claims/errors.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { isText } from './is-text.ts';
import { type PowertoolsPayloadOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

/** For `payloadValidation`: the hash that Powertools stores for `payloadValidationJmesPath`. */
export function powertoolsValidation({
  payloadValidationJmesPath,
  ...payloadOptions
}: PowertoolsPayloadOptions & { readonly payloadValidationJmesPath: string }): KeySelector {
  if (!isText(payloadValidationJmesPath)) {
    throw new ConfigurationError('Expected `payloadValidationJmesPath` to be a JMESPath expression');
  }
  const select = selectorOf('payloadValidationJmesPath', payloadValidationJmesPath, payloadOptions);
  return (record) => powertoolsHash(select(record), payloadOptions.hashFunction);
}
