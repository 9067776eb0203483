import type { Type } from 'avsc';
import { ConfigurationError, hasCode } from '../base/errors.ts';
import { anInteger, aString, type Check, checkOptionsOf, oneOf } from '../options/check-options.ts';
import { decoder } from '../sources/decode-payloads.ts';
import { DecodeError, type DecoderStep } from '../sources/decode-step.ts';
import { defaultMaxBytes } from '../sources/function-memory.ts';
import { bytesOf, readFrame } from '../schema-registry/framing.ts';
import { schemaCache } from '../schema-registry/schema-cache.ts';
import { aRegistry, type SchemaRegistry } from '../schema-registry/schema-registry.ts';
import { assertDatum } from './assert-datum.ts';
import { avroJson } from './avro-json.ts';
import { avroType } from './avro-type.ts';

/** Options of `avro()`: either `registry` or `schema`. */
export interface AvroOptions {
  /** The registry with the schemas that payloads name. Default: none; `schema` is required then. */
  readonly registry?: SchemaRegistry;
  /** The schema of all payloads, as JSON; they have no framing then. Default: none. */
  readonly schema?: string;
  /**
   * The schema that your code expects, as JSON. Payloads are resolved to it by Avro's rules: fields get its
   * names, order and defaults. Default: the schema that the payload was written with.
   */
  readonly readerSchema?: string;
  /**
   * How `long` becomes JSON: as a number with all digits, as Avro's JSON encoding has it, or as a string.
   * `JSON.parse` rounds numbers beyond 2^53, so choose `string` if there may be any. Default `number`.
   */
  readonly longs?: 'number' | 'string';
  /**
   * The most characters of the JSON text, and the most bytes of an inflated payload. Default 10 MB
   * (10,485,760), or a 64th of the function's memory if that is less.
   */
  readonly maxBytes?: number;
  /** The longest wait for one schema, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

/** Reads what was written with one schema. */
interface Reader {
  readonly writer: Type;
  read(datum: Buffer): unknown;
}

/**
 * Returns a step of `decode` that turns Avro into JSON. In SQS and SNS messages the payload is base64. A
 * record is `invalid` if its payload is not of its schema; it is handed back as `failed` if the registry does
 * not have the schema, or does not answer.
 *
 * Needs `avsc`. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The registry or the schema.
 *
 * @example
 * createBatchProcessor(handler, {
 *   source: kafka(),
 *   decode: avro({ registry: confluentRegistry({ url: 'https://registry.example.com' }) }),
 * });
 */
export function avro(options: AvroOptions): DecoderStep {
  checkOptionsOf('avro', options, checks);
  const { registry, schema, readerSchema, longs = 'number', maxBytes = defaultMaxBytes() } = options;
  const reader = readerSchema === undefined ? undefined : configured('readerSchema', readerSchema);
  const toJson = (read: () => unknown): string => {
    try {
      return avroJson(read(), { longs, maxBytes });
    } catch (cause) {
      if (hasCode(cause, 'BATCHLATCH_DECODE')) throw cause;
      throw new DecodeError('The payload is not of its Avro schema', { cause, isRetryable: false });
    }
  };

  if (registry === undefined) {
    if (schema === undefined) throw new ConfigurationError('avro needs a `registry` or a `schema`');
    const { read } = readerOf(configured('schema', schema), reader);
    return decoder((data) => toJson(() => read(bytesOf(data))));
  }
  if (schema !== undefined) throw new ConfigurationError('avro takes a `registry` or a `schema`, not both');
  const readers = schemaCache({
    registry,
    timeoutMs: options.timeoutMs ?? 5_000,
    compile: (registered) => readerOf(avroType(registered), reader),
  });
  return decoder(async (data) => {
    const { schemaId, payload } = await readFrame(bytesOf(data), registry.framing, maxBytes);
    const { writer, read } = await readers(schemaId);
    // Confluent's serializers write the bytes of the schema "bytes" without their length.
    const isBare = writer.typeName === 'bytes' && registry.framing === 'confluent';
    return toJson(() => (isBare ? payload : read(payload)));
  });
}

function readerOf(writer: Type, reader: Type | undefined): Reader {
  const resolver = reader?.createResolver(writer);
  return {
    writer,
    read(datum) {
      assertDatum(writer, datum);
      return reader === undefined ? writer.fromBuffer(datum) : reader.fromBuffer(datum, resolver);
    },
  };
}

function configured(option: string, schema: string): Type {
  try {
    return avroType({ schema });
  } catch (cause) {
    throw new ConfigurationError(`avro: Expected \`${option}\` to be the JSON of an Avro schema`, { cause });
  }
}

const checks: Readonly<Record<keyof AvroOptions, Check>> = {
  registry: aRegistry,
  schema: aString(),
  readerSchema: aString(),
  longs: oneOf('number', 'string'),
  maxBytes: anInteger(1),
  timeoutMs: anInteger(1),
};
