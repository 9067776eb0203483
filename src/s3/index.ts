/**
 * Long results and payloads in S3. Needs `@aws-sdk/client-s3`.
 *
 * @module batchlatch/s3
 */
export { s3Results, type S3ResultsOptions } from './s3-results.ts';
export { s3Pointer, type S3PointerOptions, type S3PointerTarget } from './s3-pointer.ts';
export { s3Bodies, type S3BodiesOptions } from './s3-bodies.ts';
