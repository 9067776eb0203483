import { type Check, required } from '../options/check-options.ts';
import { isText } from './is-text.ts';
import { type PowertoolsHashOptions, powertoolsHash, selectorOf } from './payload-hash.ts';

/** The option of Powertools' `IdempotencyConfig` that turns its payload validation on, by the name it has there. */
export interface PowertoolsValidationOptions {
  /** JMESPath of what must be the same when a key comes again. */
  readonly payloadValidationJmesPath: string;
}

/** The check of this option. */
export const validationChecks: Readonly<Record<keyof PowertoolsValidationOptions, Check>> = {
  payloadValidationJmesPath: required({
    expected: 'a JMESPath expression',
    accepts: (value) => typeof value === 'string' && isText(value),
  }),
};

/** Makes the hash that Powertools stores as `validation`. */
export function validationHash(
  options: PowertoolsHashOptions & PowertoolsValidationOptions,
): (payload: unknown) => string {
  const select = selectorOf(options.payloadValidationJmesPath, options);
  return (payload) => powertoolsHash(select(payload), options.hashFunction);
}
