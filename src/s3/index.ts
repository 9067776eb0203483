export { s3ResultStorage, type S3ResultStorageOptions } from './s3-result-storage.ts';
export { s3Pointer, type S3PointerOptions, type S3PointerTarget } from './s3-pointer.ts';
