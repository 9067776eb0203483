export { s3ResultStorage, type S3ResultStorageOptions } from './s3-result-storage.ts';
