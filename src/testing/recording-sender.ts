import { messageEncoder } from '../messages/encode-message.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import type { Messages, MessageTypes, SentAs } from '../messages/messages.ts';
import { SendError } from '../sender/send-error.ts';
import type {
  FailedMessage,
  OutgoingMessage,
  QueueTarget,
  Sender,
  SendReport,
  UnknownMessage,
} from '../sender/sender.ts';

/** How a recording sender answers for a message. */
export type RecordedAnswer = 'sent' | 'failed' | 'unknown';

/** Options of `recordingSender()`. */
export interface RecordingSenderOptions {
  /**
   * Returns what becomes of a message. Default: `sent`.
   *
   * @param type The type of the message.
   * @param body The body.
   */
  readonly answer?: (type: string, body: unknown) => RecordedAnswer;
}

/**
 * A sender that keeps messages instead of sending them.
 *
 * @typeParam Types The types of message.
 */
export interface RecordingSender<Types extends MessageTypes> extends Sender<Types, QueueTarget> {
  /**
   * Returns the bodies of a type that were sent, in order.
   *
   * @typeParam Type The type of the messages.
   * @param type The name of the type.
   */
  sent<Type extends keyof Types & string>(type: Type): SentAs<Types, Type>[];
}

/**
 * Returns a sender for tests. It checks bodies, keys and groups as `createSender()` does, and sends nothing.
 *
 * @typeParam Types The types of message.
 * @param messages The types of message.
 * @param options What becomes of the messages.
 *
 * @example
 * const sender = recordingSender(orders);
 * await placeOrder(sender);
 * expect(sender.sent('OrderPlaced')).toEqual([{ orderId: 'o1', tenantId: 't1', total: 7 }]);
 */
export function recordingSender<Types extends MessageTypes>(
  messages: Messages<Types>,
  { answer = () => 'sent' }: RecordingSenderOptions = {},
): RecordingSender<Types> {
  const encode = messageEncoder(messages);
  const recorded: { readonly type: string; readonly body: unknown }[] = [];

  /** Throws the error of a message that is not sent. */
  function record(type: string, body: unknown): void {
    const answered = answer(type, body);
    if (answered === 'sent') recorded.push({ type, body });
    else {
      const isUnknown = answered === 'unknown';
      throw new SendError(`The test answered: ${answered}`, { isRetryable: true, isUnknown });
    }
  }

  async function reportOf<Sent>(
    all: readonly Sent[],
    send: (one: Sent) => unknown,
  ): Promise<SendReport<Sent>> {
    const sent: Sent[] = [];
    const failed: FailedMessage<Sent>[] = [];
    const unknown: UnknownMessage<Sent>[] = [];
    for (const message of all) {
      try {
        await send(message);
        sent.push(message);
      } catch (thrown) {
        const error = thrown as Error;
        const isSendError = error instanceof SendError;
        if (isSendError && error.isUnknown) unknown.push({ message, error });
        else failed.push({ message, error, isRetryable: isSendError });
      }
    }
    return { sent, failed, unknown };
  }

  const send = async (type: string, body: unknown): Promise<void> => {
    await encode(type, body);
    record(type, body);
  };
  return {
    send,
    sendAll: (all) =>
      reportOf<OutgoingMessage<Types, QueueTarget>>(all, ({ type, body }) => send(type, body)),
    sendEncoded: <Sent extends EncodedMessage>(all: readonly Sent[]) =>
      reportOf(all, ({ type, body }) => record(type, JSON.parse(body))),
    sent: (type) =>
      recorded.filter((one) => one.type === type).map(({ body }) => body as SentAs<Types, typeof type>),
  };
}
