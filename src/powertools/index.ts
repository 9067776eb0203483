export {
  powertoolsAttributes,
  powertoolsAttributesNamed,
  type PowertoolsTableOptions,
} from './powertools-attributes.ts';
export { powertoolsKey, type PowertoolsKeyOptions } from './powertools-key.ts';
export { powertoolsValidation } from './powertools-validation.ts';
export type { PowertoolsPayloadOptions } from './payload-hash.ts';
