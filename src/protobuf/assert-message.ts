import protobufjs, { type Field } from 'protobufjs';
import { DecodeError } from '../sources/decode-step.ts';
import { maxParsedBytes } from '../sources/function-memory.ts';
import type { MessageType } from './proto-file.ts';

/** The fields of a message, or of an entry of a map. */
interface Fields {
  readonly fieldsArray: readonly unknown[];
  readonly fieldsById: Readonly<Record<number, Known>>;
}

type Known = Pick<Field, 'type' | 'resolvedType'> & Partial<Pick<Field, 'parent'>>;

/** Bytes of V8's heap for a message, for each of its fields (defaults are written too), and for a value. */
const MESSAGE_BYTES = 160;
const FIELD_BYTES = 48;
const VALUE_BYTES = 48;

const LENGTH_DELIMITED = 2;
const START_GROUP = 3;

/**
 * Estimates the memory that a message takes once decoded: two bytes may be an element with many fields.
 * Throws a `DecodeError` if that is too much, or if the bytes are damaged.
 */
export function assertMessage(type: MessageType, bytes: Buffer): void {
  const most = maxParsedBytes();
  let heap = 0;
  const grow = (by: number): void => {
    heap += by;
    if (heap <= most) return;
    const limit = `${most} bytes, a 16th of the function's memory; give the function more`;
    throw refusal(`has values that would take more than ${limit}`);
  };

  const reader = protobufjs.Reader.create(bytes);
  const message = (fields: Fields, end: number, depth: number): void => {
    if (depth > protobufjs.util.recursionLimit) throw refusal('is nested too deep');
    grow(MESSAGE_BYTES + FIELD_BYTES * fields.fieldsArray.length);
    while (reader.pos < end) {
      const tag = reader.uint32();
      const field = fields.fieldsById[tag >>> 3];
      const wireType = tag & 7;
      const start = reader.pos;
      const inside = wireType === LENGTH_DELIMITED ? fieldsInside(field) : undefined;
      if (inside === undefined) {
        reader.skipType(wireType);
        grow(isDense(field, wireType) ? VALUE_BYTES * (reader.pos - start) : VALUE_BYTES);
      } else {
        const length = reader.uint32();
        if (length > end - reader.pos) throw refusal('ends early');
        message(inside, reader.pos + length, depth + 1);
      }
    }
    if (reader.pos !== end) throw refusal('ends early');
  };
  try {
    message(type, bytes.length, 0);
  } catch (cause) {
    throw cause instanceof DecodeError ? cause : refusal('is damaged', cause);
  }
}

function fieldsInside(field: Known | undefined): Fields | undefined {
  if (field instanceof protobufjs.MapField) {
    const { type, resolvedType } = field;
    return { fieldsArray: [], fieldsById: { 2: { type, resolvedType } } };
  }
  return field?.resolvedType instanceof protobufjs.Type ? field.resolvedType : undefined;
}

/** Returns whether each byte may be a value: a packed list of numbers, a group, or a message in an `Any`. */
function isDense(field: Known | undefined, wireType: number): boolean {
  if (wireType === START_GROUP) return true;
  if (wireType !== LENGTH_DELIMITED || field === undefined) return false;
  if (field.parent?.fullName === '.google.protobuf.Any') return field.type === 'bytes';
  return field.type !== 'string' && field.type !== 'bytes';
}

function refusal(problem: string, cause?: unknown): DecodeError {
  return new DecodeError(`The payload in Protobuf ${problem}`, { cause, isRetryable: false });
}
