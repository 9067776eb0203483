/**
 * Keys by a JMESPath expression. It needs `@aws-lambda-powertools/jmespath`.
 *
 * @module batchlatch/jmespath
 */
export { jmesPath } from './jmes-path.ts';
