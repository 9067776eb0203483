import { isObject } from '../base/is-object.ts';
import type { Check } from '../options/check-options.ts';

/**
 * The registry in which a producer's serializer stored its schemas: `confluentRegistry()`, `glueRegistry()`,
 * or an object of your own.
 */
export interface SchemaRegistry {
  /**
   * How a payload names its schema. `confluent`: a zero byte and four bytes of schema id; in Protobuf also
   * the message's indexes. `glue`: the byte 3, the compression (0 or 5) and a UUID.
   */
  readonly framing: 'confluent' | 'glue';
  /**
   * Returns a schema, or undefined if the registry has none with this id. Called again only after a failure,
   * or if a process uses more than 1,000 schemas. If it throws, the record is delivered again.
   *
   * @param id The id in decimal for `confluent`, a UUID in lower case for `glue`.
   * @param options The signal that ends the request.
   */
  schemaOf(id: string, options: { readonly signal: AbortSignal }): SchemaAnswer | Promise<SchemaAnswer>;
}

/** The answer of a registry: the text of a schema, alone or with those that it needs. */
export type SchemaAnswer = string | RegisteredSchema | undefined;

/** A schema and the schemas that it needs. */
export interface RegisteredSchema {
  /** The schema: JSON of Avro, or a .proto file. */
  readonly schema: string;
  /** The schemas of other files by name, as `import` has it, after those that they need themselves. */
  readonly imports?: Readonly<Record<string, string>>;
}

/** The check of the option `registry`. */
export const aRegistry: Check = {
  expected: 'confluentRegistry(…), glueRegistry(…) or an object with framing and schemaOf()',
  accepts: (value) => {
    if (!isObject(value)) return false;
    const { framing, schemaOf } = value as Partial<Record<string, unknown>>;
    return (framing === 'confluent' || framing === 'glue') && typeof schemaOf === 'function';
  },
};
