/**
 * `batchlatch` without the DynamoDB store and the list of all sources: `store` and `source` are required, and
 * a bundle contains only what they import.
 *
 * @module batchlatch/core
 */
export { type CoreOptions, createBatchProcessor, forBatches } from './presets/core-processor.ts';
export * from './exports.ts';
