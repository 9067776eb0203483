import { ConfigurationError, hasCode } from '../base/errors.ts';
import { anInteger, anObject, aString, type Check, checkOptionsOf } from '../options/check-options.ts';
import { decoder } from '../sources/decode-payloads.ts';
import { DecodeError, type DecoderStep } from '../sources/decode-step.ts';
import { defaultMaxBytes } from '../sources/function-memory.ts';
import { bytesOf, readFrame } from '../schema-registry/framing.ts';
import { schemaCache } from '../schema-registry/schema-cache.ts';
import { aRegistry, type SchemaRegistry } from '../schema-registry/schema-registry.ts';
import { assertMessage } from './assert-message.ts';
import { chosenByConfluent, chosenByGlue } from './message-index.ts';
import { type MessageType, messageNamed, type ProtoFile, protoFile } from './proto-file.ts';
import { protoJson } from './proto-json.ts';

/** Options of `protobuf()`: either `registry` or `schema`. */
export interface ProtobufOptions {
  /** The registry with the schemas that payloads name. Default: none; `schema` is required then. */
  readonly registry?: SchemaRegistry;
  /** The text of the .proto file of all payloads; they have no framing then. Default: none. */
  readonly schema?: string;
  /** With `schema`, the full name of the message, such as `shop.OrderPlaced`. Default: the file's first. */
  readonly message?: string;
  /**
   * The texts of imported files by name, such as `google/type/money.proto`: all with `schema`, those that the
   * registry does not list with `registry`. `google/protobuf/*.proto` is known. Default: none.
   */
  readonly imports?: Readonly<Record<string, string>>;
  /**
   * The most characters of the JSON text, and the most bytes of an inflated payload. Default 10 MB
   * (10,485,760), or a 64th of the function's memory if that is less.
   */
  readonly maxBytes?: number;
  /** The longest wait for one schema, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * Returns a step of `decode` that turns Protobuf into its JSON form: names in lower camel case, 64-bit
 * integers and bytes as strings, and fields without presence also if they have their default. In SQS and SNS
 * messages the payload is base64. A record is `invalid` if its payload is not of its schema; it is handed
 * back as `failed` if the registry does not have the schema, or does not answer.
 *
 * Needs `protobufjs`. Throws a `ConfigurationError` for invalid options.
 *
 * https://protobuf.dev/programming-guides/json/
 *
 * @param options The registry or the schema.
 *
 * @example
 * createBatchProcessor(handler, {
 *   source: kafka(),
 *   decode: protobuf({ registry: glueRegistry() }),
 * });
 */
export function protobuf(options: ProtobufOptions): DecoderStep {
  checkOptionsOf('protobuf', options, checks);
  const { registry, schema, message, imports = {}, maxBytes = defaultMaxBytes() } = options;
  const toJson = (type: MessageType, bytes: Buffer): string => {
    assertMessage(type, bytes);
    const text = decoded(() => protoJson(type, bytes));
    if (text.length <= maxBytes) return text;
    throw refusal(`has more than ${maxBytes} bytes as JSON (maxBytes)`);
  };

  if (registry === undefined) {
    if (schema === undefined) throw new ConfigurationError('protobuf needs a `registry` or a `schema`');
    const type = configured(schema, imports, message);
    return decoder((data) => toJson(type, bytesOf(data)));
  }
  if (schema !== undefined || message !== undefined) {
    throw new ConfigurationError('protobuf takes a `registry`, or a `schema` and its `message`, not both');
  }
  const files = schemaCache<ProtoFile>({
    registry,
    timeoutMs: options.timeoutMs ?? 5_000,
    compile: (registered) => protoFile({ ...registered, imports: { ...imports, ...registered.imports } }),
  });
  const choose = registry.framing === 'confluent' ? chosenByConfluent : chosenByGlue;
  return decoder(async (data) => {
    const { schemaId, payload } = await readFrame(bytesOf(data), registry.framing, maxBytes);
    const file = await files(schemaId);
    const { type, rest } = decoded(() => choose(file, payload));
    if (type === undefined) throw refusal('names a message that its schema does not have');
    return toJson(type, rest);
  });
}

/** Runs a part of decoding; `protobufjs` throws various errors for damaged bytes. */
function decoded<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (cause) {
    throw hasCode(cause, 'BATCHLATCH_DECODE') ? cause : refusal('is not of its schema', cause);
  }
}

function refusal(problem: string, cause?: unknown): DecodeError {
  return new DecodeError(`The payload in Protobuf ${problem}`, { cause, isRetryable: false });
}

function configured(
  schema: string,
  imports: Readonly<Record<string, string>>,
  message: string | undefined,
): MessageType {
  let file: ProtoFile;
  try {
    file = protoFile({ schema, imports });
  } catch (cause) {
    const expected = 'Expected `schema` to be a .proto file with all that it imports in `imports`';
    throw new ConfigurationError(`protobuf: ${expected}`, { cause });
  }
  const type = message === undefined ? file.messages[0] : messageNamed(file, message);
  if (type !== undefined) return type;
  throw new ConfigurationError(`protobuf: The schema does not have the message ${message ?? 'to decode'}`);
}

const checks: Readonly<Record<keyof ProtobufOptions, Check>> = {
  registry: aRegistry,
  schema: aString(),
  message: aString(),
  imports: anObject(),
  maxBytes: anInteger(1),
  timeoutMs: anInteger(1),
};
