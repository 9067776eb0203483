import type { StandardSchemaV1 } from '@standard-schema/spec';

/**
 * Makes a body of the newest version from one of an older version. Created by `from()`.
 *
 * @typeParam Body The schema's input in the newest version.
 */
export interface Upgrade<Body = unknown> {
  /** The schema of the older version, which must validate synchronously. */
  readonly schema: StandardSchemaV1;
  /**
   * Returns the body as a sender of the newest version would send it.
   *
   * @param old The older schema's output.
   */
  upgrade(old: never): Body;
}

/**
 * Describes the upgrade from an older version of a message. It runs before the key is made, so that both
 * versions of the same work have the same key: `upgrade` must be synchronous and depend on its argument only.
 *
 * @typeParam Old The type of the older schema.
 * @typeParam Body The schema's input in the newest version.
 * @param schema The schema of the older version.
 * @param upgrade Returns the body of the newest version.
 *
 * @example
 * message(orderV2, { upgrades: { 1: from(orderV1, ({ id, ...rest }) => ({ ...rest, orderId: id })) } });
 */
export function from<Old extends StandardSchemaV1, Body>(
  schema: Old,
  upgrade: (old: StandardSchemaV1.InferOutput<Old>) => Body,
): Upgrade<Body> {
  return { schema, upgrade };
}
