import protobufjs, { type NamespaceBase, type Type } from 'protobufjs';
import type { RegisteredSchema } from '../schema-registry/schema-registry.ts';
import { restoreMaps } from './map-entries.ts';

export type MessageType = Type;

/** A parsed .proto file. */
export interface ProtoFile {
  /** The messages that are not inside another, in the file's order. */
  readonly messages: readonly MessageType[];
}

/** Parses a file and those that it imports. Throws if it is no .proto file, or a type is missing. */
export function protoFile({ schema, imports = {} }: RegisteredSchema): ProtoFile {
  const root = new protobufjs.Root();
  const parsed = protobufjs.parse(schema, root);
  restoreMaps(root);
  // Before the imports, which may add messages to this package.
  const messages = messagesOf(parsed.package === undefined ? root : root.lookup(parsed.package));
  const pending = [...(parsed.imports ?? [])];
  const added = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (added.has(name)) continue;
    added.add(name);
    const bundled = protobufjs.common.get(name);
    if (bundled?.nested !== undefined) root.addJSON(bundled.nested);
    // A file that only options need is not looked for; a missing type is found below.
    else if (Object.hasOwn(imports, name)) {
      pending.push(...(protobufjs.parse(imports[name] as string, root).imports ?? []));
    }
  }
  restoreMaps(root);
  root.resolveAll();
  return { messages };
}

/** Returns the messages inside a package or a message, without the entries of maps. */
export function messagesOf(parent: object | null): readonly MessageType[] {
  const nested = (parent as NamespaceBase | null)?.nestedArray ?? [];
  return nested.filter((one): one is Type => one instanceof protobufjs.Type);
}

export function messageNamed({ messages }: ProtoFile, name: string): MessageType | undefined {
  const within = (types: readonly MessageType[]): MessageType | undefined =>
    types.find((type) => type.fullName === `.${name}`) ??
    types.map((type) => within(messagesOf(type))).find((type) => type !== undefined);
  return within(messages);
}
