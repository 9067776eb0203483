import type { StandardSchemaV1 } from '@standard-schema/spec';
import { INVALID_BODY } from '../attempts/errors.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import { BatchlatchError } from '../base/errors.ts';
import type { SchemaPolicy } from '../batch/context.ts';
import { type BodyIssue, shownIssues } from '../messages/body-issues.ts';
import { assertStandardSchema } from '../messages/assert-standard-schema.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * The body does not fit the `schema`. The handler was not run, and the claim is parked. `issues` lists paths
 * without values. Code: `BATCHLATCH_INVALID_BODY`.
 *
 * @remarks Fix the sender, or fix the schema and release the claim.
 */
export class InvalidBodyError extends BatchlatchError {
  override name = 'InvalidBodyError';
  /** The first ten problems, without the values. */
  readonly issues: readonly BodyIssue[];

  /**
   * Created by batchlatch; public for tests.
   *
   * @param issues The problems of the body.
   */
  constructor(issues: readonly BodyIssue[]) {
    const shown = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super(INVALID_BODY, `The body does not fit the schema: ${shown.join('; ')}`);
    this.issues = issues;
  }
}

/**
 * The `schema` itself threw or rejected. The record fails and may run again. Code:
 * `BATCHLATCH_SCHEMA_FAILED`.
 *
 * @remarks Fix the schema. The `cause` is its error.
 */
export class SchemaFailedError extends BatchlatchError {
  override name = 'SchemaFailedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options The schema's error, as the `cause`.
   */
  constructor(options: { cause: unknown }) {
    super('BATCHLATCH_SCHEMA_FAILED', 'The `schema` threw or rejected; see the cause', options);
  }
}

/**
 * Returns the policy for `schema` that validates bodies with a Standard Schema (zod, valibot, arktype and
 * others; https://standardschema.dev). The handler gets the schema's output, and its type. A record whose
 * body does not fit is parked without running. Keys, namespaces and `payloadValidation` see the body as it
 * was sent. Throws a `ConfigurationError` if the argument is not a Standard Schema.
 *
 * @typeParam Schema The type of the schema.
 * @param schema A zod, valibot or arktype schema, or another that has `~standard`.
 *
 * @example
 * createBatchProcessor(async ({ body }) => charge(body), {
 *   schema: standardSchema(z.object({ orderId: z.string() })),
 * });
 */
export function standardSchema<Schema extends StandardSchemaV1>(
  schema: Schema,
): SchemaPolicy<StandardSchemaV1.InferOutput<Schema>> {
  assertStandardSchema('standardSchema', schema);
  return {
    option: 'schema',
    check: (record) => validate(record, schema),
  };
}

/** Replaces the body with the schema's output. Returns an end if the handler must not run. */
async function validate(record: BatchRecord, schema: StandardSchemaV1): Promise<AttemptEnd | undefined> {
  try {
    const result = await schema['~standard'].validate(record.body);
    // By the specification, falsy `issues` mean success.
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
