export { createBatchProcessor } from './presets/batch-processor.ts';
export * from './exports.ts';
