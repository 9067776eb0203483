import type { CallPayloadHash } from '../keys/call-key.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { checkOptionsOf } from '../options/check-options.ts';
import { argumentOf, callChecks, type PowertoolsCallOptions } from './call-payload.ts';
import { payloadChecks, payloadOf, type PowertoolsPayloadOptions } from './record-payload.ts';
import { type PowertoolsValidationOptions, validationChecks, validationHash } from './validation-hash.ts';

/**
 * For `payloadValidation` of a batch: the hash that Powertools stores for `payloadValidationJmesPath`.
 *
 * @param options What of the record is compared.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 */
export function powertoolsValidation(
  options: PowertoolsPayloadOptions & PowertoolsValidationOptions,
): KeySelector {
  checkOptionsOf('powertoolsValidation', options, { ...payloadChecks, ...validationChecks });
  const { payloadValidationJmesPath } = options;
  const hashOf = validationHash(options);
  return (record) =>
    hashOf(payloadOf(record, options, 'payloadValidationJmesPath', payloadValidationJmesPath));
}

/**
 * For `payload` of `withIdempotency`: the hash that Powertools stores for `payloadValidationJmesPath`.
 *
 * @param options What of the call is compared.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 */
export function powertoolsCallValidation(
  options: PowertoolsCallOptions & PowertoolsValidationOptions,
): CallPayloadHash {
  checkOptionsOf('powertoolsCallValidation', options, { ...callChecks, ...validationChecks });
  const hashOf = validationHash(options);
  return Object.assign((...args: unknown[]) => hashOf(argumentOf(args, options)), {
    isPayloadHash: true as const,
  });
}
