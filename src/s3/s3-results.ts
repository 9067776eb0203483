import { hash } from 'node:crypto';
import type * as S3 from '@aws-sdk/client-s3';
import { ConfigurationError, StoreError } from '../base/errors.ts';
import { loadedOnce } from '../base/loaded-once.ts';
import { platformSignal } from '../base/stop.ts';
import type { ResultStorage } from '../claims/result-storage.ts';
import { anInteger, type Check, checkOptionsOf, objectWith, required } from '../options/check-options.ts';

/** Options of `s3Results()`. */
export interface S3ResultsOptions {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The prefix of every object's key, used as given. Default `batchlatch/results/`. */
  readonly prefix?: string;
  /** The S3 client. Default: a new one for the environment's region, created on first use. */
  readonly client?: Pick<S3.S3Client, 'send'>;
  /** Results with more UTF-8 bytes of JSON than this go to S3. Default: the claim store's limit. */
  readonly thresholdBytes?: number;
}

const checks: Readonly<Record<keyof S3ResultsOptions, Check>> = {
  bucket: required({
    expected: "an S3 bucket's name",
    accepts: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value),
  }),
  prefix: {
    expected: 'a string of at most 512 bytes',
    // S3 allows keys of 1,024 bytes; a hash and an owner take about 110 of them.
    accepts: (value) => typeof value === 'string' && Buffer.byteLength(value) <= 512,
  },
  client: objectWith('send'),
  thresholdBytes: anInteger(0),
};

/**
 * Returns a storage for long results in S3, with one object per attempt:
 * `<prefix><hash of the key>/<owner>.json`. Needs `s3:PutObject`, and to replay results `s3:GetObject` and
 * `s3:ListBucket`, without which S3 refuses a missing object instead of reporting it. Objects are never
 * deleted: set a lifecycle rule on the prefix that keeps them for longer than completions (`retentionMs`).
 * Throws a `ConfigurationError` for invalid options.
 *
 * @param options The bucket, and the length from which results go there.
 *
 * @example
 * resultsIn(s3Results({ bucket: 'order-results' }), dynamoDBStore({ tableName }));
 */
export function s3Results(options: S3ResultsOptions): ResultStorage {
  checkOptionsOf('s3Results', options, checks);
  const { bucket, prefix = 'batchlatch/results/', thresholdBytes, client: given } = options;
  const load = loadedOnce(() => loadSdk(given));

  return {
    ...(thresholdBytes !== undefined && { thresholdBytes }),
    async put(key, owner, json, { signal } = {}) {
      const { s3, client } = await load();
      const object = {
        Bucket: bucket,
        Key: `${prefix}${hash('sha256', key)}/${encodeURIComponent(owner)}.json`,
      };
      await client.send(
        new s3.PutObjectCommand({ ...object, Body: json, ContentType: 'application/json' }),
        signal && { abortSignal: platformSignal(signal) },
      );
      return `s3://${object.Bucket}/${object.Key}`;
    },
    async get(pointer, { signal } = {}) {
      // The pointer's bucket; new results may go to another one by now.
      const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(pointer) ?? [];
      if (Bucket === undefined || Key === undefined) {
        const message =
          'The row points to a result that is not in S3: give resultsIn(…) the storage that wrote it';
        throw new StoreError(message, { isRetryable: false, code: UNAVAILABLE });
      }
      const { s3, client } = await load();
      try {
        const { Body } = await client.send(
          new s3.GetObjectCommand({ Bucket, Key }),
          signal && { abortSignal: platformSignal(signal) },
        );
        if (Body === undefined) throw new Error('S3 returned an object without a body');
        return await Body.transformToString('utf-8');
      } catch (thrown) {
        throw resultUnavailable(thrown, `s3://${Bucket}/${Key}`);
      }
    },
  };
}

/** Loads the SDK on first use: it is an optional peer dependency. */
async function loadSdk(given: Pick<S3.S3Client, 'send'> | undefined) {
  let s3: typeof S3;
  try {
    s3 = await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw new ConfigurationError('s3Results needs `@aws-sdk/client-s3`: npm install @aws-sdk/client-s3', {
      cause,
    });
  }
  // A completion waits for this call, so give up on a silent connection long before the function's timeout.
  const requestHandler = { connectionTimeout: 2_500, requestTimeout: 5_000, throwOnRequestTimeout: true };
  return { s3, client: given ?? new s3.S3Client({ requestHandler, maxAttempts: 2 }) };
}

const UNAVAILABLE = 'BATCHLATCH_RESULT_UNAVAILABLE';

function resultUnavailable(cause: unknown, place: string): StoreError {
  const name = cause instanceof Error ? cause.name : typeof cause;
  const isGone = name === 'NoSuchKey' || name === 'NoSuchBucket';
  return new StoreError(
    isGone
      ? `The key is completed, but its result ${place} is gone: ` +
          'a lifecycle rule must keep results for longer than `retentionMs`'
      : `The key is completed, but its result ${place} cannot be read now (${name}): ` +
          (name === 'AccessDenied' ? 'grant s3:GetObject and s3:ListBucket' : 'see the cause'),
    { cause, isRetryable: !isGone, code: UNAVAILABLE },
  );
}
