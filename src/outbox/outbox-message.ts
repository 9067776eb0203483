import type { MessageTypes, SentAs } from '../messages/messages.ts';

/**
 * A message to add.
 *
 * @typeParam Types The types by name.
 */
export type OutboxMessage<Types extends MessageTypes> = {
  [Type in keyof Types & string]: {
    /** The type of the message. */
    readonly type: Type;
    /** The body: the input of the type's schema. */
    readonly body: SentAs<Types, Type>;
  };
}[keyof Types & string];
