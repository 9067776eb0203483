/**
 * Processes batches of records on AWS Lambda under idempotency claims: the processor with every source, policy and
 * key, and the types that stores and observers are written against. Claims are kept in DynamoDB unless `store` names
 * another store.
 *
 * @module batchlatch
 */
export { type CreateBatchProcessor, createBatchProcessor } from './presets/batch-processor.ts';
export * from './exports.ts';
