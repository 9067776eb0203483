import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { BatchRecord } from '../sources/record.ts';
import { InvalidBodyError, SchemaFailedError } from './errors.ts';
import type { HandlerReturn } from './handler-end.ts';
import { shownIssues } from './schema-issues.ts';

/**
 * Puts the schema's output in the place of the body. Resolves with how the attempt ends when it must not run: refused,
 * and so parked, when the body does not fit; failed when the schema itself fails.
 */
export async function validateBody(
  record: BatchRecord,
  schema: StandardSchemaV1,
): Promise<HandlerReturn | undefined> {
  try {
    const result = await schema['~standard'].validate(record.body);
    // The specification: a falsy value for `issues` indicates success.
    if (result.issues) {
      return { kind: 'refused', error: new InvalidBodyError(shownIssues(result.issues, record.body)) };
    }
    (record as { body: unknown }).body = result.value;
    return undefined;
  } catch (cause) {
    return { kind: 'threw', error: new SchemaFailedError({ cause }), wasAborted: false };
  }
}
