import protobufjs from 'protobufjs';
import { type MessageType, messagesOf, type ProtoFile } from './proto-file.ts';

/** The message that a payload names, and the bytes after its index. */
export interface ChosenMessage {
  /** Undefined if the file has no such message. */
  readonly type: MessageType | undefined;
  readonly rest: Buffer;
}

/**
 * Reads Confluent's message indexes: how many there are, then the position of the message in the file, of the
 * message in it, and so on. A single zero means the first message.
 */
export function chosenByConfluent({ messages }: ProtoFile, payload: Buffer): ChosenMessage {
  const reader = protobufjs.Reader.create(payload);
  const count = reader.sint32();
  if (count === 0) return { type: messages[0], rest: payload.subarray(reader.pos) };
  let among = messages;
  let type: MessageType | undefined;
  for (let read = 0; read < count && among.length > 0; read += 1) {
    type = among[reader.sint32()];
    if (type === undefined) break;
    among = messagesOf(type);
    if (read === count - 1) return { type, rest: payload.subarray(reader.pos) };
  }
  return { type: undefined, rest: payload };
}

/**
 * Reads AWS Glue's message index: the position of the message among all messages of the file, those inside
 * others and the entries of maps included, sorted by full name.
 */
export function chosenByGlue({ messages }: ProtoFile, payload: Buffer): ChosenMessage {
  const reader = protobufjs.Reader.create(payload);
  const index = reader.uint32();
  const all = [...namesOf(messages)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { type: all[index]?.[1], rest: payload.subarray(reader.pos) };
}

/** Yields all messages with their names; the entry of a map has no type that a payload could be of. */
function* namesOf(types: readonly MessageType[]): Iterable<readonly [string, MessageType | undefined]> {
  for (const type of types) {
    yield [type.fullName, type];
    for (const field of type.fieldsArray) {
      if (field instanceof protobufjs.MapField) yield [`${type.fullName}.${entryName(field)}`, undefined];
    }
    yield* namesOf(messagesOf(type));
  }
}

/** Returns the name that `protoc` gives to the entries of a map: `line_items` becomes `LineItemsEntry`. */
function entryName({ protoName }: { readonly protoName?: string }): string {
  const words = (protoName ?? '').split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Entry`;
}
