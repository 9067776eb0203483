import protobufjs, { type NamespaceBase, type Type } from 'protobufjs';

/**
 * Turns lists of entries into maps. A schema that AWS Glue's serializer registered has a map as a repeated
 * field and a message with the option `map_entry`, as descriptors do.
 */
export function restoreMaps(namespace: NamespaceBase): void {
  for (const nested of namespace.nestedArray) {
    if (!(nested instanceof protobufjs.Namespace)) continue;
    restoreMaps(nested);
    const isEntry = nested instanceof protobufjs.Type && nested.getOption('map_entry') === true;
    if (isEntry && namespace instanceof protobufjs.Type) restoreMap(namespace, nested);
  }
}

function restoreMap(type: Type, entry: Type): void {
  const { key, value } = entry.fields;
  const list = type.fieldsArray.find((field) => field.repeated && field.type.split('.').pop() === entry.name);
  if (list === undefined || key === undefined || value === undefined) return;
  type.remove(list);
  type.remove(entry);
  type.add(new protobufjs.MapField(list.name, list.id, key.type, value.type, list.options));
}
