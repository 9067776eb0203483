/**
 * The same as `batchlatch` without the DynamoDB store and the list of all sources: `store` and `source` have to be
 * given, and a bundle contains only what they import.
 *
 * @module batchlatch/core
 */
export { type CoreOptions, createBatchProcessor, forBatches } from './presets/core-processor.ts';
export * from './exports.ts';
