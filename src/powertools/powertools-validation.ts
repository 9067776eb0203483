import type { CallPayloadHash } from '../keys/call-key.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import {
  argumentOf,
  callChecks,
  type PowertoolsCallOptions,
  payloadChecks,
  payloadOf,
  type PowertoolsPayloadOptions,
} from './record-payload.ts';
import { type Check, checkOptionsOf, required } from '../options/check-options.ts';
import { isText } from './id-maker.ts';
import { type PowertoolsHashOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

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

/** The option of Powertools' `IdempotencyConfig` that turns its payload validation on, by the name it has there. */
export interface PowertoolsValidationOptions {
  /** JMESPath of what must be the same when a key comes again. */
  readonly payloadValidationJmesPath: string;
}

/** The check of this option. */
const validationChecks: Readonly<Record<keyof PowertoolsValidationOptions, Check>> = {
  payloadValidationJmesPath: required({
    expected: 'a JMESPath expression',
    accepts: (value) => typeof value === 'string' && isText(value),
  }),
};

/** Makes the hash that Powertools stores as `validation`. */
function validationHash(
  options: PowertoolsHashOptions & PowertoolsValidationOptions,
): (payload: unknown) => string {
  const select = selectorOf(options.payloadValidationJmesPath, options);
  return (payload) => powertoolsHash(select(payload), options.hashFunction);
}
