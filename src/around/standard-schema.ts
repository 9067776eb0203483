import type { StandardSchemaV1 } from '@standard-schema/spec';
import { INVALID_BODY } from '../attempts/errors.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { SchemaPolicy } from '../batch/context.ts';
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
  assertSchema(schema);
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

function assertSchema(schema: unknown): void {
  // arktype's schemas are functions
  const isThing = isObject(schema) || typeof schema === 'function';
  const standard = isThing ? (schema as Partial<StandardSchemaV1>)['~standard'] : undefined;
  if (standard?.version === 1 && typeof standard.validate === 'function') return;
  throw new ConfigurationError(
    'Expected the argument of standardSchema to be a Standard Schema, ' +
      'such as a zod, valibot or arktype schema',
  );
}

/** A problem of a body. */
export interface BodyIssue {
  /** The path of member names and indexes, such as `items.0.price`; empty for the body itself. */
  readonly path: string;
  /** The schema's message, without the value. */
  readonly message: string;
}

const MOST_ISSUES = 10;
const LONGEST_PATH = 100;
const LONGEST_MESSAGE = 200;
/** The most values below an issue's path that are removed from its message. */
const MOST_VALUES = 1_000;

/**
 * Returns issues without values of the body, bounded. Schema libraries quote values, each in its own form:
 * known forms are cut off, and other values at the issue's path are blotted out.
 */
function shownIssues(issues: readonly StandardSchemaV1.Issue[], body: unknown): BodyIssue[] {
  return issues.slice(0, MOST_ISSUES).map(({ path = [], message }) => {
    const members = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
    const shownPath = members.map(String).join('.');
    return {
      path: clip(shownPath, LONGEST_PATH),
      message: clip(withoutValues(message, valueAt(body, members)), LONGEST_MESSAGE),
    };
  });
}

function withoutValues(message: string, value: unknown): string {
  const values = scalarsIn(value);
  if (values === undefined) return 'does not fit';
  // valibot: "… but received "x"", arktype: "… (was "x")". The text before says enough.
  let shown = message.replace(/ but received .*$/s, '').replace(/ \(was .*$/s, '');
  for (const text of values) {
    for (const form of new Set([text, JSON.stringify(text).slice(1, -1)])) shown = blotOut(shown, form);
  }
  return shown;
}

/** Replaces short values only as whole words, so that the rest of the message stays readable. */
function blotOut(message: string, text: string): string {
  if (text.length > 3) return message.replaceAll(text, '…');
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return message.replace(new RegExp(String.raw`(?<!\w)${escaped}(?!\w)`, 'g'), '…');
}

/** Returns the member names, texts and numbers in a value, longest first; undefined if there are too many. */
function scalarsIn(value: unknown): string[] | undefined {
  const found = new Set<string>();
  const open: unknown[] = [value];
  for (const node of open) {
    if (open.length > MOST_VALUES) return undefined;
    if (isObject(node)) {
      for (const [name, child] of Object.entries(node)) {
        if (!Array.isArray(node)) found.add(name);
        open.push(child);
      }
    } else if (typeof node === 'string' || typeof node === 'number' || typeof node === 'bigint') {
      found.add(String(node));
    }
  }
  found.delete('');
  return [...found].sort((a, b) => b.length - a.length);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  const memberOf = (node: unknown, part: PropertyKey): unknown =>
    isObject(node) ? (node as Record<PropertyKey, unknown>)[part] : undefined;
  return path.reduce(memberOf, body);
}

function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
