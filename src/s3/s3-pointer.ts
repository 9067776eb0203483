import { Buffer } from 'node:buffer';
import { GetObjectCommand, type GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import { ConfigurationError } from '../claims/errors.ts';
import { decodedText, DecodeError, type Decoder, DEFAULT_MAX_BYTES } from '../sources/decoder.ts';

export interface S3PointerOptions {
  /** Default: a client of its own, made when the first pointer comes. */
  readonly client?: Pick<S3Client, 'send'>;
  /**
   * The buckets that pointers may name. Whoever may send to the queue chooses what the function reads with its own
   * permissions; this bounds it. Default: any bucket that the function's role can read.
   */
  readonly buckets?: readonly string[];
  /** How many bytes an object may have. Default 10 MB (10,485,760). */
  readonly maxBytes?: number;
}

/** The reserved attributes, one of which marks a pointer: of today's libraries, and of the older ones. */
const SIZE_ATTRIBUTES = ['ExtendedPayloadSize', 'SQSLargePayloadSize'];

/** What stands before the pointer in the body: the name of a Java class, today's and the older one. */
const POINTER_CLASSES: ReadonlySet<unknown> = new Set([
  'software.amazon.payloadoffloading.PayloadS3Pointer',
  'com.amazon.sqs.javamessaging.MessageS3Pointer',
]);

/**
 * Fetches what the Amazon SQS and SNS Extended Client Libraries put into S3 because it was too large for a message.
 * Messages without such a pointer are left as they are. An object that is gone, is too large or is in none of `buckets`
 * makes its record `invalid`; while S3 cannot be reached or refuses, the record is handed back as `failed`. Objects are not
 * deleted: a message may come again, so give the bucket a lifecycle rule. Needs `@aws-sdk/client-s3` and `s3:GetObject`.
 *
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-managing-large-messages.html
 *
 * @example
 * createBatchProcessor(handler, { decode: s3Pointer({ buckets: ['large-orders'] }) });
 */
export function s3Pointer(options: S3PointerOptions = {}): Decoder {
  const { buckets, maxBytes = DEFAULT_MAX_BYTES } = checked(options);
  let { client } = options;

  return async (data, { attributes }, { signal }) => {
    const isPointer = typeof data === 'string' && SIZE_ATTRIBUTES.some((name) => name in attributes);
    if (!isPointer) return data;
    const { bucket, key } = parsePointer(data);
    if (buckets !== undefined && !buckets.includes(bucket)) {
      throw new DecodeError('The message points to a bucket that is not one of `buckets`', {
        isRetryable: false,
      });
    }
    client ??= new S3Client({});
    return fetchText(client, new GetObjectCommand({ Bucket: bucket, Key: key }), maxBytes, signal);
  };
}

async function fetchText(
  client: Pick<S3Client, 'send'>,
  command: GetObjectCommand,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  try {
    const object = await client.send(command, { abortSignal: signal });
    return decodedText(await bytesOf(object, maxBytes));
  } catch (cause) {
    if (cause instanceof DecodeError) throw cause;
    const isGone = cause instanceof Error && cause.name === 'NoSuchKey';
    throw new DecodeError(
      isGone
        ? 'The object that the message points to is gone'
        : 'The object that the message points to could not be read',
      { cause, isRetryable: !isGone },
    );
  }
}

/** Reads no further than the bound, whatever length S3 announced. */
async function bytesOf({ Body: body }: GetObjectCommandOutput, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) {
      throw new DecodeError(
        `The object that the message points to has more than ${maxBytes} bytes (maxBytes of s3Pointer)`,
        {
          isRetryable: false,
        },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsePointer(text: string): { readonly bucket: string; readonly key: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined; // its error would quote the body
  }
  const [className, pointer] = (Array.isArray(parsed) ? parsed : []) as unknown[];
  const { s3BucketName, s3Key } = (typeof pointer === 'object' && pointer !== null ? pointer : {}) as Record<
    string,
    unknown
  >;
  if (!POINTER_CLASSES.has(className) || !isText(s3BucketName) || !isText(s3Key)) {
    throw new DecodeError(
      `The message has the attribute of a payload in S3 (${SIZE_ATTRIBUTES.join(' or ')}), but its body is no pointer`,
      { isRetryable: false },
    );
  }
  return { bucket: s3BucketName, key: s3Key };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function checked(options: S3PointerOptions): S3PointerOptions {
  const { client, buckets, maxBytes, ...unknown } = options;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(
      `Unknown option \`${stranger}\` of s3Pointer; known are client, buckets, maxBytes`,
    );
  }
  if (client !== undefined && typeof client.send !== 'function') {
    throw new ConfigurationError('Expected `client` of s3Pointer to be an S3Client');
  }
  if (buckets !== undefined && !(Array.isArray(buckets) && buckets.every(isText))) {
    throw new ConfigurationError('Expected `buckets` of s3Pointer to be a list of bucket names');
  }
  if (maxBytes !== undefined && (!Number.isSafeInteger(maxBytes) || maxBytes < 1)) {
    throw new ConfigurationError(
      `Expected \`maxBytes\` of s3Pointer to be an integer from 1 up, got \`${String(maxBytes)}\``,
    );
  }
  return options;
}
