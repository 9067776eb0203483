import type { StandardSchemaV1 } from '@standard-schema/spec';
import { INVALID_BODY } from '../attempts/errors.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import type { SchemaPolicy } from '../batch/context.ts';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';
import type { BatchRecord } from '../sources/record.ts';
import { type BodyIssue, shownIssues } from './schema-issues.ts';
import { isObject } from '../base/is-object.ts';

/**
 * The body does not fit the `schema`: the handler is not run, and the claim is parked at once. Code:
 * `BATCHLATCH_INVALID_BODY`.
 */
export class InvalidBodyError extends BatchlatchError {
  /** What does not fit, at most ten of them; never the values. */
  readonly issues: readonly BodyIssue[];

  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param issues What does not fit.
   */
  constructor(issues: readonly BodyIssue[]) {
    const shown = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(INVALID_BODY, `The body does not fit the schema: ${shown.join('; ')}`);
    this.issues = issues;
  }
}

/**
 * The `schema` itself threw or rejected, which says nothing about the record: it fails and may run again. Code:
 * `BATCHLATCH_SCHEMA_FAILED`.
 */
export class SchemaFailedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options What the schema threw, as its `cause`.
   */
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_SCHEMA_FAILED',
      'The schema itself failed, so it is not known whether the body fits',
      options,
    );
  }
}

/**
 * For `schema`: checks bodies by a Standard Schema (zod, valibot, arktype and others; https://standardschema.dev). The
 * handler gets the schema's output, and its type; a body that does not fit is parked without being run. Keys, namespaces
 * and `payloadValidation` see the body as it was sent. Throws a `ConfigurationError` for what is no such schema.
 *
 * @typeParam Schema The type of the schema.
 * @param schema A zod, valibot or arktype schema, or another that has `~standard`.
 *
 * @example
 * createBatchProcessor(async ({ body }) => charge(body), { schema: standardSchema(z.object({ orderId: z.string() })) });
 */
export function standardSchema<Schema extends StandardSchemaV1>(
  schema: Schema,
): SchemaPolicy<StandardSchemaV1.InferOutput<Schema>> {
  assertSchema(schema);
  return {
    option: 'schema',
    check: (record) => validate(record, schema),
  };
}

/** Puts the schema's output in the place of the body; an end where the handler must not run. */
async function validate(record: BatchRecord, schema: StandardSchemaV1): Promise<AttemptEnd | undefined> {
  try {
    const result = await schema['~standard'].validate(record.body);
    // The specification: a falsy value for `issues` indicates success.
    if (result.issues) {
      return { kind: 'refused', error: new InvalidBodyError(shownIssues(result.issues, record.body)) };
    }
    (record as { body: unknown }).body = result.value;
    return undefined;
  } catch (cause) {
    const error = new SchemaFailedError({ cause });
    return { kind: 'threw', error, thrown: error, isInconclusive: true };
  }
}

function assertSchema(schema: unknown): void {
  // arktype's schemas are functions
  const isThing = isObject(schema) || typeof schema === 'function';
  const standard = isThing ? (schema as Partial<StandardSchemaV1>)['~standard'] : undefined;
  if (standard?.version === 1 && typeof standard.validate === 'function') return;
  throw new ConfigurationError(
    'Expected the argument of standardSchema to be a Standard Schema, such as a zod, valibot or arktype schema',
  );
}
