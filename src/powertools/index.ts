/**
 * Rows and keys in the format of Powertools for AWS Lambda's idempotency utility, for tables that both
 * libraries use.
 *
 * @module batchlatch/powertools
 */
export {
  powertoolsAttributes,
  powertoolsAttributesNamed,
  type PowertoolsTableOptions,
} from './powertools-attributes.ts';
export { powertoolsCacheStore, type PowertoolsCacheOptions } from './powertools-cache-store.ts';
export {
  powertoolsCallKey,
  type PowertoolsCallKeyOptions,
  type PowertoolsIdOptions,
  powertoolsKey,
  type PowertoolsKeyOptions,
} from './powertools-key.ts';
export type { PowertoolsCacheNames } from './cache-writer.ts';
export {
  type PowertoolsCallOptions,
  powertoolsCallValidation,
  type PowertoolsHashOptions,
  type PowertoolsPayloadOptions,
  powertoolsValidation,
  type PowertoolsValidationOptions,
} from './payload-hash.ts';
