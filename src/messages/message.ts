import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ConfigurationError } from '../base/errors.ts';
import type { PathIn } from '../keys/path-in.ts';
import {
  aFunction,
  aListOf,
  anObject,
  aString,
  type Check,
  checkOptionsOf,
  either,
  objectWith,
} from '../options/check-options.ts';
import { assertStandardSchema } from './assert-standard-schema.ts';
import type { Upgrade } from './upgrade.ts';

/**
 * How messages of one type are keyed, grouped and upgraded. The functions get the body as it is sent, and
 * must depend on nothing else: sender and consumer call them apart.
 *
 * @typeParam Body The schema's input: the body as it is sent.
 */
export interface MessageOptions<Body = unknown> {
  /**
   * The members that make two messages the same work, such as `['orderId']`, or a function that returns the
   * key. The type is always part of the key. Default: the consumer's `key`.
   */
  readonly key?: readonly PathIn<Body>[] | ((body: Body) => string);
  /**
   * The member that names the message group, such as `'tenantId'`, or a function that returns it. On a FIFO
   * queue, messages of one group run in order; on a standard queue it is the tenant of fair queues. Default:
   * no group. FIFO queues need one.
   */
  readonly group?: PathIn<Body> | ((body: Body) => string);
  /**
   * The upgrades from older versions of the schema: `{ 1: from(schemaV1, (old) => …) }` makes this schema
   * version 2. Each upgrade leads to the newest version. Default: none, and the schema is version 1.
   */
  readonly upgrades?: Readonly<Record<number, Upgrade<Body>>>;
}

/**
 * A type of message: its schema, and how it is keyed and grouped. Created by `message()`.
 *
 * @typeParam Schema The type of the schema.
 */
export interface Message<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /** The schema of the newest version. */
  readonly schema: Schema;
  /** The version of the schema, from 1. */
  readonly version: number;
  /** The options as they were given. */
  readonly options: MessageOptions;
}

const UPGRADES = anObject();
const UPGRADE = objectWith('readExactly'); // a function has `apply` too

const checks: Readonly<Record<keyof MessageOptions, Check>> = {
  key: either(aListOf('a list of members'), aFunction()),
  group: either({ ...aString(), expected: 'the path of a member' }, aFunction()),
  upgrades: {
    expected: 'an object of from(…) by version',
    accepts: (value) =>
      UPGRADES.accepts(value) && Object.values(value as object).every((one) => UPGRADE.accepts(one)),
  },
};

/**
 * Describes one type of message.
 *
 * @typeParam Schema The type of the schema.
 * @param schema A zod, valibot or arktype schema, or another Standard Schema.
 * @param options The key, the group and the upgrades of older versions.
 * @throws `ConfigurationError` for an unknown or invalid option, for a schema that is no Standard Schema, and
 *   for upgrades that leave out a version.
 *
 * @example
 * message(z.object({ orderId: z.string(), tenantId: z.string() }), { key: ['orderId'], group: 'tenantId' });
 */
export function message<Schema extends StandardSchemaV1>(
  schema: Schema,
  options: MessageOptions<StandardSchemaV1.InferInput<Schema>> = {},
): Message<Schema> {
  assertStandardSchema('message', schema);
  checkOptionsOf('message', options, checks);
  const { upgrades = {} } = options;
  const version = Object.keys(upgrades).length + 1;
  for (let older = 1; older < version; older += 1) {
    if (older in upgrades) continue;
    throw new ConfigurationError(
      `Expected \`upgrades\` to have each version below ${version}, but version ${older} is missing`,
    );
  }
  return { schema, version, options };
}
