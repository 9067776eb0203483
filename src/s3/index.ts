export { s3ResultStorage, type S3ResultStorageOptions } from './s3-result-storage.ts';
export { s3Pointer, type S3PointerOptions } from './s3-pointer.ts';
