/**
 * Long results in S3, and payloads that a message names by a pointer to S3. It needs `@aws-sdk/client-s3`.
 *
 * @module batchlatch/s3
 */
export { s3Results, type S3ResultsOptions } from './s3-results.ts';
export { s3Pointer, type S3PointerOptions, type S3PointerTarget } from './s3-pointer.ts';
