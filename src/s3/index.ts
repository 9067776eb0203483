export { s3Pointer, type S3PointerOptions } from './s3-pointer.ts';
