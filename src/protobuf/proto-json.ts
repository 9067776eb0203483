import protobufjs, { type Field } from 'protobufjs';
import protojson from 'protobufjs/ext/protojson.js';
import { isObject } from '../base/is-object.ts';
import type { MessageType } from './proto-file.ts';

type Json = Record<string, unknown>;

/** Returns a message as JSON text, as ProtoJSON has it, with the fields without presence that are default. */
export function protoJson(type: MessageType, bytes: Buffer): string {
  return JSON.stringify(withDefaults(type, protojson.toJson(type, type.decode(bytes))));
}

/** ProtoJSON leaves out zeros, empty texts and empty lists; consumers expect them to be there. */
function withDefaults(type: MessageType, json: unknown): unknown {
  // Such as Timestamp and Struct: their JSON is not an object of their fields.
  if (type.fullName.startsWith('.google.protobuf.') || !isObject(json)) return json;
  const members: Json = {};
  for (const field of type.fieldsArray) {
    const { jsonName } = field;
    // Not by its value: a field such as `to_string` has the name of an inherited function.
    if (Object.hasOwn(json, jsonName)) members[jsonName] = inside(field, (json as Json)[jsonName]);
    else if (!mayBeAbsent(field)) members[jsonName] = defaultOf(field);
  }
  return { ...json, ...members }; // extensions are only in `json`
}

function mayBeAbsent(field: Field): boolean {
  return (
    field.hasPresence || (!field.repeated && !field.map && field.resolvedType instanceof protobufjs.Type)
  );
}

function inside(field: Field, value: unknown): unknown {
  const type = field.resolvedType;
  if (!(type instanceof protobufjs.Type)) return value;
  if (field instanceof protobufjs.MapField) {
    return Object.fromEntries(
      Object.entries(value as Json).map(([key, one]) => [key, withDefaults(type, one)]),
    );
  }
  return Array.isArray(value) ? value.map((one) => withDefaults(type, one)) : withDefaults(type, value);
}

function defaultOf(field: Field): unknown {
  if (field instanceof protobufjs.MapField) return {};
  if (field.repeated) return [];
  if (field.resolvedType instanceof protobufjs.Enum) return field.resolvedType.valuesById[0] ?? 0;
  switch (field.type) {
    case 'bool':
      return false;
    case 'string':
    case 'bytes':
      return '';
    default:
      return field.type.endsWith('64') ? '0' : 0;
  }
}
