import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidBodyError } from '../around/standard-schema.ts';
import { assertStandardSchema } from '../messages/assert-standard-schema.ts';
import { shownIssues } from '../messages/body-issues.ts';
import type { Upgrade } from '../messages/upgrade.ts';
import { assertFunction } from '../options/check-options.ts';
import { MayFitLaterError } from './errors.ts';
import { readExactly } from './read-exactly.ts';

/**
 * An upgrade threw, or the schema of an old version threw or was asynchronous. The record is `invalid`, and
 * handed back. Code: `BATCHLATCH_UPGRADE_FAILED`.
 *
 * @remarks Fix the upgrade. The `cause` is its error.
 */
export class UpgradeFailedError extends MayFitLaterError {
  override name = 'UpgradeFailedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param version The version that was upgraded.
   * @param options The error of the upgrade, as the `cause`.
   */
  constructor(version: number, options: { cause: unknown }) {
    super('BATCHLATCH_UPGRADE_FAILED', `The upgrade from version ${version} failed; see the cause`, options);
  }
}

/**
 * Describes the upgrade from an older version of a message. It runs before the key is made, so that both
 * versions of the same work have the same key: `upgrade` must be synchronous and depend on its argument only.
 *
 * @typeParam Old The type of the older schema.
 * @typeParam Body The schema's input in the newest version.
 * @param schema The schema of the older version.
 * @param upgrade Returns the body of the newest version.
 * @throws `ConfigurationError` for a schema that is no Standard Schema, and an upgrade that is no function.
 *
 * @example
 * message(orderV2, { upgrades: { 1: from(orderV1, ({ id, ...rest }) => ({ ...rest, orderId: id })) } });
 */
export function from<Old extends StandardSchemaV1, Body>(
  schema: Old,
  upgrade: (old: StandardSchemaV1.InferOutput<Old>) => Body,
): Upgrade<Body> {
  assertStandardSchema('from', schema);
  assertFunction('upgrade', upgrade);
  return {
    schema,
    upgrade,
    readExactly,
    apply(body, version) {
      try {
        const result = synchronous('schema', schema['~standard'].validate(body));
        if (result.issues) throw new InvalidBodyError(shownIssues(result.issues, body));
        return synchronous<Body>('upgrade', upgrade(result.value));
      } catch (cause) {
        throw cause instanceof InvalidBodyError ? cause : new UpgradeFailedError(version, { cause });
      }
    },
  };
}

/** Throws for a promise, whose rejection must not end the process. */
function synchronous<Value>(name: string, value: Value | Promise<Value>): Value {
  if (!(value instanceof Promise)) return value;
  value.catch(() => undefined);
  throw new TypeError(`The ${name} of the old version returned a promise; it must be synchronous`);
}
