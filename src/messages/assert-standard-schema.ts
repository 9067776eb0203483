import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

/** Throws a `ConfigurationError` if the argument of the function `name` is no Standard Schema. */
export function assertStandardSchema(name: string, schema: unknown): void {
  const isThing = isObject(schema) || typeof schema === 'function'; // arktype's schemas are functions
  const standard = isThing ? (schema as Partial<StandardSchemaV1>)['~standard'] : undefined;
  if (standard?.version === 1 && typeof standard.validate === 'function') return;
  throw new ConfigurationError(
    `Expected the argument of ${name} to be a Standard Schema, such as a zod, valibot or arktype schema`,
  );
}
