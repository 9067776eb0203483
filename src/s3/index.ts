export { s3Results, type S3ResultsOptions } from './s3-results.ts';
export { s3Pointer, type S3PointerOptions, type S3PointerTarget } from './s3-pointer.ts';
