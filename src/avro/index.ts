/**
 * Payloads in Avro. Needs `avsc`.
 *
 * @module batchlatch/avro
 */
export { avro, type AvroOptions } from './avro.ts';
export { confluentRegistry, type ConfluentRegistryOptions } from '../schema-registry/confluent-registry.ts';
export type { RegistryHeaders } from '../schema-registry/confluent-registry.ts';
export { glueRegistry, type GlueRegistryOptions } from '../schema-registry/glue-registry.ts';
export type { RegisteredSchema, SchemaAnswer, SchemaRegistry } from '../schema-registry/schema-registry.ts';
