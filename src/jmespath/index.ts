/**
 * Keys selected by a JMESPath expression. Needs `@aws-lambda-powertools/jmespath`.
 *
 * @module batchlatch/jmespath
 */
export { jmesPath } from './jmes-path.ts';
