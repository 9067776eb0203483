import type { StandardSchemaV1 } from '@standard-schema/spec';
import { hash, randomUUID } from 'node:crypto';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { hasToJson, isPlain } from '../keys/canonical-json.ts';
import { keyString } from '../keys/key-string.ts';
import { parsePath, type PayloadPath } from '../keys/payload-path.ts';
import { type BodyIssue, shownIssues } from './body-issues.ts';
import type { Message, MessageOptions } from './message.ts';
import { OUTBOX_ID, TYPE, VERSION } from './message-attributes.ts';
import { groupOfBody, keyOfBody, typedKey } from './message-key.ts';
import { assertMessages, type Messages } from './messages.ts';

/** A message as it is sent: what a sender puts on the wire, and an outbox into a row. */
export interface EncodedMessage {
  /** The name of the type in `messages()`. */
  readonly type: string;
  /** The body as JSON text. */
  readonly body: string;
  /** The string attributes: the type, the version if it is not 1, and the outbox id if there is one. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The message group; undefined if the type has no `group`. */
  readonly group: string | undefined;
  /** The SHA-256 of type and key, unique without a `key`. Undefined if the target needs none. */
  readonly deduplicationId: string | undefined;
}

/**
 * The body does not fit the schema of its type, so the message was not sent. `issues` lists paths without
 * values. Code: `BATCHLATCH_INVALID_MESSAGE`.
 *
 * @remarks Fix the caller, or fix the schema.
 */
export class InvalidMessageError extends BatchlatchError {
  override name = 'InvalidMessageError';
  /** The first ten problems, without the values. */
  readonly issues: readonly BodyIssue[];

  /**
   * Created by batchlatch; public for tests.
   *
   * @param type The type of the message.
   * @param issues The problems of the body.
   */
  constructor(type: string, issues: readonly BodyIssue[]) {
    const shown = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super('BATCHLATCH_INVALID_MESSAGE', `The body does not fit the schema of ${type}: ${shown.join('; ')}`);
    this.issues = issues;
  }
}

interface EncoderSetup {
  /** Whether messages need a deduplication id. Default true. */
  readonly deduplicates?: boolean;
}

type Encode = (type: string, body: unknown, outboxId?: string) => EncodedMessage | Promise<EncodedMessage>;

/**
 * Returns the function that validates messages and makes them ready to send. Bodies are sent as given: the
 * schema's output is the consumer's. The function throws an `InvalidMessageError` for a body that does not
 * fit, and a `KeyError` for one without a key or a group. It rejects instead if the schema validates
 * asynchronously: most do not, and a promise for each message is a large part of its cost.
 */
export function messageEncoder(messages: Messages, { deduplicates = true }: EncoderSetup = {}): Encode {
  assertMessages(messages);
  const encoders = new Map(
    Object.entries(messages.types).map(([type, message]) => [type, encoderOf(type, message, deduplicates)]),
  );
  return (type, body, outboxId) => {
    const encode = encoders.get(type);
    if (encode === undefined) {
      throw new ConfigurationError(`Expected a type of messages(…), got \`${type}\``);
    }
    return encode(body, outboxId);
  };
}

function encoderOf(
  type: string,
  message: Message,
  deduplicates: boolean,
): (body: unknown, outboxId?: string) => EncodedMessage | Promise<EncodedMessage> {
  const { schema, version } = message;
  const keyOf = keyOfBody(message);
  const groupOf = groupOfBody(message);
  const paths = pathsOf(message);
  const attributes = { [TYPE]: type, ...(version > 1 && { [VERSION]: String(version) }) };

  function encoded(
    { issues }: StandardSchemaV1.Result<unknown>,
    body: unknown,
    outboxId: string | undefined,
  ): EncodedMessage {
    if (issues) throw new InvalidMessageError(type, shownIssues(issues, body));
    const text = JSON.stringify(body);
    const isSentAsGiven = paths !== undefined && hasTexts(body, paths);
    const sent: unknown = isSentAsGiven ? body : JSON.parse(text); // what the consumer will see
    // Where no id is needed, a key only has to be there, as `hasTexts` has seen.
    const needsKey = keyOf !== undefined && (deduplicates || !isSentAsGiven);
    const key = needsKey ? keyString({ of: 'message', prefix: undefined, key: keyOf }, sent) : undefined;
    return {
      type,
      body: text,
      attributes: outboxId === undefined ? attributes : { ...attributes, [OUTBOX_ID]: outboxId },
      group: groupOf?.(sent),
      deduplicationId: deduplicates
        ? hash('sha256', typedKey(type, key ?? outboxId ?? randomUUID()))
        : undefined,
    };
  }

  return (body, outboxId) => {
    const result = schema['~standard'].validate(body);
    if (!('then' in result)) return encoded(result, body, outboxId);
    return result.then((later) => encoded(later, body, outboxId));
  };
}

/** Returns the paths of a message's key and group; undefined if one is a function. */
function pathsOf({ options }: Message): PayloadPath[] | undefined {
  const { key = [], group } = options as { readonly key?: MessageOptions['key']; readonly group?: unknown };
  if (typeof key === 'function' || typeof group === 'function') return undefined;
  const paths = group === undefined ? key : [...key, group];
  return paths.map((path) => parsePath('key', path));
}

/** Returns whether a body has texts at all of these paths, which its JSON has too. */
function hasTexts(body: unknown, paths: readonly PayloadPath[]): boolean {
  for (const path of paths) {
    let node = body;
    for (const name of path) {
      if (!isObject(node) || !isPlain(node) || hasToJson(node)) return false;
      if (!Object.prototype.propertyIsEnumerable.call(node, name)) return false;
      node = (node as Record<string, unknown>)[name];
    }
    if (typeof node !== 'string' || node === '') return false;
  }
  return true;
}
