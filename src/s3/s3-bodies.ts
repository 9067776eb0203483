import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { LargeBodies } from '../messages/large-bodies.ts';
import { type Check, checkOptionsOf, objectWith, required } from '../options/check-options.ts';

/** Options of `s3Bodies()`. */
export interface S3BodiesOptions {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The prefix of every object's key, used as given. Default `batchlatch/bodies/`. */
  readonly prefix?: string;
  /** The S3 client. Default: a new one for the environment's region, created on first use. */
  readonly client?: Pick<S3Client, 'send'>;
}

const checks: Readonly<Record<keyof S3BodiesOptions, Check>> = {
  bucket: required({
    expected: "an S3 bucket's name",
    accepts: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value),
  }),
  prefix: {
    expected: 'a string of at most 512 bytes',
    accepts: (value) => typeof value === 'string' && Buffer.byteLength(value) <= 512,
  },
  client: objectWith('send'),
};

/** The Java class of the Extended Client Libraries, which they write before the pointer. */
const POINTER_CLASS = 'software.amazon.payloadoffloading.PayloadS3Pointer';

/**
 * Returns a storage for bodies that are too large for a message, in the format of the Amazon SQS and SNS
 * Extended Client Libraries: `s3Pointer()` and those libraries read it. Needs `s3:PutObject`. Objects are
 * never deleted: set a lifecycle rule on the prefix that keeps them for longer than the queue keeps messages.
 * Throws a `ConfigurationError` for invalid options.
 *
 * @param options The bucket.
 *
 * @example
 * createSender(orders, { queueUrl }, { large: s3Bodies({ bucket: 'large-orders' }) });
 */
export function s3Bodies(options: S3BodiesOptions): LargeBodies {
  checkOptionsOf('s3Bodies', options, checks);
  const { bucket, prefix = 'batchlatch/bodies/' } = options;
  let { client } = options;
  return {
    async put(body, { signal }) {
      const s3Key = `${prefix}${randomUUID()}`;
      client ??= new S3Client({});
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: s3Key, Body: body, ContentType: 'application/json' }),
        { abortSignal: signal },
      );
      return JSON.stringify([POINTER_CLASS, { s3BucketName: bucket, s3Key }]);
    },
  };
}
