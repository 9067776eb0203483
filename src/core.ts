export { type CoreOptions, createBatchProcessor, forBatches } from './presets/core-processor.ts';
export * from './exports.ts';
