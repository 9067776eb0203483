import { hash, randomUUID } from 'node:crypto';
import { BatchlatchError, ConfigurationError } from '../base/errors.ts';
import { type BodyIssue, shownIssues } from './body-issues.ts';
import { OUTBOX_ID, TYPE, VERSION } from './message-attributes.ts';
import { groupOfBody, keyOfBody, typedKey } from './message-key.ts';
import type { Messages } from './messages.ts';

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
  /** The SHA-256 of type and key, for FIFO queues. Without a `key` it is unique. */
  readonly deduplicationId: string;
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

/**
 * Returns the function that validates messages and makes them ready to send. Bodies are sent as given: the
 * schema's output is the consumer's. The function rejects with an `InvalidMessageError` for a body that does
 * not fit, and with a `KeyError` for one without a key or a group.
 */
export function messageEncoder({
  types,
}: Messages): (type: string, body: unknown, outboxId?: string) => Promise<EncodedMessage> {
  const known = new Map(
    Object.entries(types).map(([type, message]) => [
      type,
      { message, keyOf: keyOfBody(message), groupOf: groupOfBody(message) },
    ]),
  );
  return async (type, body, outboxId) => {
    const found = known.get(type);
    if (found === undefined) {
      throw new ConfigurationError(`Expected a type of messages(…), got \`${type}\``);
    }
    const { message, keyOf, groupOf } = found;
    const result = await message.schema['~standard'].validate(body);
    if (result.issues) throw new InvalidMessageError(type, shownIssues(result.issues, body));
    const text = JSON.stringify(body);
    const sent: unknown = JSON.parse(text); // what the consumer will see
    const key = keyOf?.(sent) ?? outboxId ?? randomUUID();
    return {
      type,
      body: text,
      attributes: {
        [TYPE]: type,
        ...(message.version > 1 && { [VERSION]: String(message.version) }),
        ...(outboxId !== undefined && { [OUTBOX_ID]: outboxId }),
      },
      group: groupOf?.(sent),
      deduplicationId: hash('sha256', typedKey(type, key)),
    };
  };
}
