import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { Message } from './message.ts';

/** The types of message by name. */
export type MessageTypes = Readonly<Record<string, Message>>;

/**
 * The types of message of a queue, a topic or an event bus: one description for the sender and the consumer.
 * Created by `messages()`.
 *
 * @typeParam Types The types by name.
 */
export interface Messages<Types extends MessageTypes = MessageTypes> {
  /** The types by name. */
  readonly types: Types;
}

/**
 * The body of a type as it is sent: its schema's input.
 *
 * @typeParam Types The types by name.
 * @typeParam Type The name of the type.
 */
export type SentAs<Types extends MessageTypes, Type extends keyof Types> = StandardSchemaV1.InferInput<
  Types[Type]['schema']
>;

/**
 * The body of a type as a handler gets it: its schema's output.
 *
 * @typeParam Types The types by name.
 * @typeParam Type The name of the type.
 */
export type HandledAs<Types extends MessageTypes, Type extends keyof Types> = StandardSchemaV1.InferOutput<
  Types[Type]['schema']
>;

/**
 * Describes the types of message that a queue, a topic or an event bus carries.
 *
 * @typeParam Types The types by name.
 * @param types The types by name. The name travels with each message.
 * @throws `ConfigurationError` for a type that is no `message()`.
 *
 * @example
 * export const orders = messages({
 *   OrderPlaced: message(orderPlaced, { key: ['orderId'], group: 'tenantId' }),
 *   OrderCancelled: message(orderCancelled, { key: ['orderId'], group: 'tenantId' }),
 * });
 */
export function messages<Types extends MessageTypes>(types: Types): Messages<Types> {
  if (!isObject(types) || Array.isArray(types)) {
    throw new ConfigurationError('messages: Expected an object such as { OrderPlaced: message(schema) }');
  }
  for (const [type, given] of Object.entries<unknown>(types)) {
    if (isObject(given) && 'schema' in given && 'options' in given) continue;
    const circle = given === undefined ? ' (do modules import each other?)' : '';
    throw new ConfigurationError(
      `messages: Expected \`${type}\` to be the result of message(…), got ${typeof given}${circle}`,
    );
  }
  return { types };
}

/** Throws a `ConfigurationError` for an argument that is not from `messages()`. */
export function assertMessages(given: unknown): void {
  if (isObject(given) && 'types' in given && isObject(given.types)) return;
  throw new ConfigurationError(
    `Expected the types of message as the result of messages(…), got ${typeof given}`,
  );
}
