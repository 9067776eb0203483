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
export { powertoolsKey, type PowertoolsKeyOptions } from './powertools-key.ts';
export { powertoolsValidation } from './powertools-validation.ts';
export type { PowertoolsPayloadOptions } from './payload-hash.ts';
