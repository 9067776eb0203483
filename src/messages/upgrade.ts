import type { StandardSchemaV1 } from '@standard-schema/spec';

/** Reads a text that is JSON. */
export type Parse = (text: string) => unknown;

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
  /**
   * Checks a body of the older version and upgrades it.
   *
   * @internal
   */
  apply(body: unknown, version: number): Body;
  /**
   * Reads the upgraded body for a key, with `Infinity` where it depends on a number that a double cannot
   * hold.
   *
   * @internal
   */
  readExactly(readBy: (parse: Parse) => unknown): unknown;
}
