/**
 * Rows and keys as the idempotency utility of Powertools for AWS Lambda writes them, so that both libraries can use one
 * table.
 *
 * @module batchlatch/powertools
 */
export {
  powertoolsAttributes,
  powertoolsAttributesNamed,
  type PowertoolsTableOptions,
} from './powertools-attributes.ts';
export { powertoolsCacheStore, type PowertoolsCacheOptions } from './powertools-cache-store.ts';
export { powertoolsCallKey, type PowertoolsCallKeyOptions } from './powertools-key.ts';
export { powertoolsKey, type PowertoolsKeyOptions } from './powertools-key.ts';
export { powertoolsCallValidation, powertoolsValidation } from './powertools-validation.ts';
export type { PowertoolsCacheNames } from './cache-rows.ts';
export type { PowertoolsCallOptions } from './record-payload.ts';
export type { PowertoolsIdOptions } from './id-maker.ts';
export type { PowertoolsHashOptions } from './payload-hash.ts';
export type { PowertoolsPayloadOptions } from './record-payload.ts';
export type { PowertoolsValidationOptions } from './powertools-validation.ts';
