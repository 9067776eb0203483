import { inflate } from 'node:zlib';
import { bytesOfBase64 } from '../sources/base64.ts';
import { DecodeError, type Encoded } from '../sources/decode-step.ts';
import { inflatePayload } from '../sources/inflate.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** A payload without the bytes that name its schema. */
export interface Frame {
  readonly schemaId: string;
  readonly payload: Buffer;
}

/** https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format */
const CONFLUENT_HEADER = 5;

/** https://github.com/awslabs/aws-glue-schema-registry: version, compression, UUID of the schema version. */
const GLUE_HEADER = 18;
const GLUE_VERSION = 3;
const GLUE_PLAIN = 0;
const GLUE_ZLIB = 5;

/** Returns the bytes that a decoder got, from base64 if it got text as in SQS and SNS messages. */
export function bytesOf(data: Encoded): Buffer {
  if (typeof data === 'string') return bytesOfBase64(data);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** Splits a payload. Throws a `DecodeError` for another framing, or more than `maxBytes` once inflated. */
export async function readFrame(
  bytes: Buffer,
  framing: SchemaRegistry['framing'],
  maxBytes: number,
): Promise<Frame> {
  return framing === 'confluent' ? confluentFrame(bytes) : glueFrame(bytes, maxBytes);
}

function confluentFrame(bytes: Buffer): Frame {
  assertLength(bytes, CONFLUENT_HEADER, 'Confluent');
  if (bytes[0] !== 0) throw notFramed(`starts with the byte ${bytes[0]}, not 0 as Confluent's framing does`);
  return { schemaId: String(bytes.readUInt32BE(1)), payload: bytes.subarray(CONFLUENT_HEADER) };
}

async function glueFrame(bytes: Buffer, maxBytes: number): Promise<Frame> {
  assertLength(bytes, GLUE_HEADER, 'AWS Glue');
  const [version, compression] = bytes;
  if (version !== GLUE_VERSION) {
    throw notFramed(`starts with the byte ${version}, not 3 as AWS Glue's framing does`);
  }
  if (compression !== GLUE_PLAIN && compression !== GLUE_ZLIB) {
    throw notFramed(`has the compression ${compression}; AWS Glue's framing has 0 or 5`);
  }
  const hex = bytes.toString('hex', 2, GLUE_HEADER);
  const schemaId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const payload = bytes.subarray(GLUE_HEADER);
  if (compression === GLUE_PLAIN) return { schemaId, payload };
  return { schemaId, payload: await inflatePayload(['zlib', inflate], payload, maxBytes) };
}

function assertLength(bytes: Buffer, least: number, whose: string): void {
  if (bytes.length >= least) return;
  throw notFramed(`has ${bytes.length} bytes, fewer than the ${least} of ${whose}'s framing`);
}

function notFramed(problem: string): DecodeError {
  return new DecodeError(`The payload ${problem}`, { isRetryable: false });
}
