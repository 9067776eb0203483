/**
 * Payloads in Protobuf. Needs `protobufjs`.
 *
 * @module batchlatch/protobuf
 */
export { protobuf, type ProtobufOptions } from './protobuf.ts';
export { confluentRegistry, type ConfluentRegistryOptions } from '../schema-registry/confluent-registry.ts';
export type { RegistryHeaders } from '../schema-registry/confluent-registry.ts';
export { glueRegistry, type GlueRegistryOptions } from '../schema-registry/glue-registry.ts';
export type { RegisteredSchema, SchemaAnswer, SchemaRegistry } from '../schema-registry/schema-registry.ts';
