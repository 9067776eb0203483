import { GetObjectCommand, type GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { boundedCall } from '../base/bounded.ts';
import { systemClock } from '../base/clock.ts';
import { isObject } from '../base/is-object.ts';
import { anInteger, type Check, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import { decoder } from '../sources/decode-payloads.ts';
import { decodedText, DecodeError, type DecoderStep } from '../sources/decode-step.ts';
import { defaultMaxBytes } from '../sources/function-memory.ts';
import type { BatchRecord } from '../sources/record.ts';

/** The object that a message points to. */
export interface S3PointerTarget {
  /** The bucket in the pointer. */
  readonly bucket: string;
  /** The object's key. */
  readonly key: string;
  /** The record with the pointer, as it was delivered. */
  readonly record: BatchRecord;
}

/** Options of `s3Pointer()`. */
export interface S3PointerOptions {
  /**
   * The buckets that pointers may name, or a function that decides for each pointer. Anyone who may send to
   * the queue chooses the objects that the function reads with its own permissions; this option limits them.
   */
  readonly buckets: readonly string[] | ((target: S3PointerTarget) => boolean | Promise<boolean>);
  /** The account that must own the buckets; S3 refuses others. Default: not checked. */
  readonly expectedBucketOwner?: string;
  /** The S3 client. Default: a new one, created for the first pointer. */
  readonly client?: Pick<S3Client, 'send'>;
  /**
   * The most bytes of an object. Default 10 MB (10,485,760), or a 64th of the function's memory if that is
   * less: 2 MB at 128 MB.
   */
  readonly maxBytes?: number;
  /** The longest wait for one object, in milliseconds, whatever the client's own limits. Default 30,000. */
  readonly timeoutMs?: number;
}

/** The attributes that mark a pointer, of current and of older libraries. */
const SIZE_ATTRIBUTES = ['ExtendedPayloadSize', 'SQSLargePayloadSize'];

/** The Java class that precedes the pointer in the body, current and older. */
const POINTER_CLASSES: ReadonlySet<unknown> = new Set([
  'software.amazon.payloadoffloading.PayloadS3Pointer',
  'com.amazon.sqs.javamessaging.MessageS3Pointer',
]);

/** In UTF-16 units: enough for a bucket's name and a key of 1,024 bytes, all escaped in JSON. */
const LONGEST_POINTER = 16_384;

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Returns a step of `decode` that fetches payloads which the Amazon SQS and SNS Extended Client Libraries
 * stored in S3. Messages without a pointer are left unchanged. A record is `invalid` if its object is gone,
 * too large or not allowed by `buckets`. It is handed back as `failed` if S3 cannot be reached, does not
 * answer in time or refuses. Objects are not deleted, because a message may come again: give the bucket a
 * lifecycle rule.
 *
 * Needs `@aws-sdk/client-s3`, `s3:GetObject`, and `s3:ListBucket`, without which S3 refuses an object that is
 * gone. Throws a `ConfigurationError` without `buckets`.
 *
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-managing-large-messages.html
 *
 * @param options The allowed buckets, and the limits of size and time.
 *
 * @example
 * createBatchProcessor(handler, { decode: s3Pointer({ buckets: ['large-orders'] }) });
 */
export function s3Pointer(options: S3PointerOptions): DecoderStep {
  checkOptionsOf('s3Pointer', options, checks);
  const { buckets, expectedBucketOwner, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { maxBytes = defaultMaxBytes() } = options;
  let { client } = options;

  return decoder(async (data, record, { signal, envelope }) => {
    const attributes = { ...record.attributes, ...envelope?.attributes };
    const isPointer = typeof data === 'string' && SIZE_ATTRIBUTES.some((name) => name in attributes);
    if (!isPointer) return data;
    const { bucket, key } = parsePointer(data);
    const isAllowed: unknown =
      typeof buckets === 'function' ? await buckets({ bucket, key, record }) : buckets.includes(bucket);
    if (isAllowed !== true) {
      const message = 'The message points to an object that `buckets` of s3Pointer does not allow';
      throw new DecodeError(message, { isRetryable: false });
    }
    client ??= new S3Client({});
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: key,
      ...(expectedBucketOwner !== undefined && { ExpectedBucketOwner: expectedBucketOwner }),
    });
    const s3 = client;
    // The limit also holds for clients that ignore the signal.
    return boundedCall((abortSignal) => fetchText(s3, command, maxBytes, abortSignal), {
      clock: systemClock,
      limitMs: timeoutMs,
      signal,
      errorOf: (why) => {
        if (why === 'given-up') return notRead(signal.reason);
        const message =
          'S3 did not deliver the object that the message points to ' +
          `within ${timeoutMs} ms (timeoutMs of s3Pointer)`;
        return new DecodeError(message, { isRetryable: true });
      },
    });
  });
}

async function fetchText(
  client: Pick<S3Client, 'send'>,
  command: GetObjectCommand,
  maxBytes: number,
  abortSignal: AbortSignal,
): Promise<string> {
  try {
    const object = await client.send(command, { abortSignal });
    return decodedText(await bytesOf(object, maxBytes));
  } catch (thrown) {
    throw thrown instanceof DecodeError ? thrown : notRead(thrown);
  }
}

function notRead(cause: unknown): DecodeError {
  const isGone = cause instanceof Error && cause.name === 'NoSuchKey';
  const why = isGone
    ? 'is gone: S3 must keep it for as long as the queue keeps the message'
    : 'could not be read: see the cause. If S3 refuses, grant s3:GetObject and s3:ListBucket';
  return new DecodeError(`The object that the message points to ${why}`, { cause, isRetryable: !isGone });
}

/** Reads at most `maxBytes`, whatever length S3 announced. */
async function bytesOf({ Body: body }: GetObjectCommandOutput, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) {
      const problem = `has more than ${maxBytes} bytes (maxBytes of s3Pointer)`;
      throw new DecodeError(`The object that the message points to ${problem}`, { isRetryable: false });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsePointer(text: string): { readonly bucket: string; readonly key: string } {
  let parsed: unknown;
  try {
    parsed = text.length > LONGEST_POINTER ? undefined : JSON.parse(text);
  } catch {
    parsed = undefined; // the parser's error would quote the body
  }
  const [className, pointer] = (Array.isArray(parsed) ? parsed : []) as unknown[];
  const { s3BucketName, s3Key } = (isObject(pointer) ? pointer : {}) as Record<string, unknown>;
  if (!POINTER_CLASSES.has(className) || !isText(s3BucketName) || !isText(s3Key)) {
    throw new DecodeError(
      `The message has the attribute of a payload in S3 (${SIZE_ATTRIBUTES.join(' or ')}), ` +
        'but its body is not a pointer: correct the sender, or leave s3Pointer() out of `decode`',
      { isRetryable: false },
    );
  }
  return { bucket: s3BucketName, key: s3Key };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

const checks: Readonly<Record<keyof S3PointerOptions, Check>> = {
  buckets: required({
    expected:
      'a list of bucket names, or a function of { bucket, key, record }: anyone who may send to the queue ' +
      "chooses what is read with the function's permissions",
    accepts: (value) =>
      typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  }),
  expectedBucketOwner: {
    expected: 'an account id, a string of twelve digits',
    accepts: (value) => typeof value === 'string' && /^\d{12}$/.test(value),
  },
  client: objectWith('send'),
  maxBytes: anInteger(1),
  timeoutMs: anInteger(1),
};
