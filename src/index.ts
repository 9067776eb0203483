/**
 * Processes batches of records on AWS Lambda with idempotency claims: the processor with every source, policy
 * and key, and the types for stores and observers. Claims are kept in DynamoDB unless `store` names another
 * store.
 *
 * @module batchlatch
 */
export { type CreateBatchProcessor, createBatchProcessor } from './presets/batch-processor.ts';
export * from './exports.ts';
