import { systemClock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import { type EncodedMessage, messageEncoder } from '../messages/encode-message.ts';
import { groupOfBody } from '../messages/message-key.ts';
import type { Messages, MessageTypes } from '../messages/messages.ts';
import { type TraceHeaders, withTrace } from '../messages/trace-headers.ts';
import { Call, type Outcome } from './call.ts';
import { eventBusTarget } from './event-bus-target.ts';
import { checkSenderOptions, type SenderOptions } from './options.ts';
import { queueTarget } from './queue-target.ts';
import { SendQueue } from './send-queue.ts';
import type { SendAllOptions, Sender, SendReport, SendTarget } from './sender.ts';
import type { Target } from './target.ts';
import { topicTarget } from './topic-target.ts';
import type { TransportSetup } from './transport.ts';

const DEADLINE_MS = 30_000;

/**
 * Creates a sender of messages to a queue, a topic or an event bus. Create it once, outside the handler: it
 * keeps its connections. Throws a `ConfigurationError` for invalid options.
 *
 * @typeParam Types The types of message.
 * @typeParam To The target.
 * @param messages The types of message.
 * @param to The queue, the topic or the event bus.
 * @param options The limit of bytes, and where larger bodies go.
 *
 * @example
 * const sender = createSender(orders, { queueUrl });
 * await sender.send('OrderPlaced', { orderId, tenantId, total });
 */
export function createSender<Types extends MessageTypes, const To extends SendTarget>(
  messages: Messages<Types>,
  to: To,
  options: SenderOptions = {},
): Sender<Types, To> {
  checkSenderOptions(to, options);
  const { clock = systemClock, large, trace, unordered = false } = options;
  const target = targetOf(to, options.maxMessageBytes, { clock, random: Math.random });
  if (target.isFifo) checkGroups(messages);
  const encode = messageEncoder(messages, { deduplicates: target.isFifo });
  const queue = new SendQueue({ target, large, clock, random: Math.random });
  // rule: ordered-groups
  const isOrdered = target.isFifo && !unordered;
  const laneOf = ({ group }: EncodedMessage): string | undefined => (isOrdered ? group : undefined);

  function begin(
    count: number,
    { signal, deadlineMs = DEADLINE_MS }: SendAllOptions,
    onEnd: (outcomes: readonly Outcome[]) => void,
  ): Call {
    if (!(deadlineMs > 0)) {
      throw new ConfigurationError(`Expected \`deadlineMs\` to be a positive number, got \`${deadlineMs}\``);
    }
    return new Call(queue, count, { clock, deadlineMs, signal }, onEnd);
  }

  /** Puts one message. Returns a promise if its schema is asynchronous. Never throws and never rejects. */
  function put(
    call: Call,
    position: number,
    given: AnyMessage,
    traced: TraceHeaders | undefined,
  ): Promise<void> | undefined {
    const putEncoded = (encoded: EncodedMessage): void => {
      const message = traced === undefined ? encoded : withTrace(encoded, traced);
      call.put(position, message, given.delayMs, laneOf(message));
    };
    const refuse = (thrown: unknown): void => call.failed(position, thrown as Error, false);
    try {
      const encoding = encode(given.type, given.body);
      if ('then' in encoding) return encoding.then(putEncoded).catch(refuse);
      putEncoded(encoding);
    } catch (thrown) {
      refuse(thrown);
    }
    return undefined;
  }

  /** Puts messages one after the other, in order. Never rejects. */
  async function putAll(
    call: Call,
    all: readonly AnyMessage[],
    traced: TraceHeaders | undefined,
  ): Promise<void> {
    for (const [position, given] of all.entries()) {
      const pending = put(call, position, given, traced);
      // Most schemas validate at once: an `await` would cost a turn for each message.
      if (pending !== undefined) await pending;
    }
  }

  return {
    send: (type, body, sendOptions: SendAllOptions & { readonly delayMs?: number | undefined } = {}) =>
      new Promise((resolve, reject) => {
        const traced = trace?.();
        const call = begin(1, sendOptions, ([outcome]) => {
          if (outcome === undefined || outcome.status === 'sent') resolve();
          else reject(outcome.error);
        });
        void put(call, 0, { type, body, delayMs: sendOptions.delayMs }, traced);
      }),
    sendAll: (given, sendOptions = {}) =>
      new Promise((resolve) => {
        const traced = trace?.();
        const all = [...given]; // the caller may fill its list anew meanwhile
        const call = begin(all.length, sendOptions, (outcomes) => resolve(reportOf(all, outcomes)));
        void putAll(call, all, traced);
      }),
    sendEncoded: (all, sendOptions = {}) =>
      new Promise((resolve) => {
        const call = begin(all.length, sendOptions, (outcomes) => resolve(reportOf(all, outcomes)));
        for (const [position, message] of all.entries()) {
          call.put(position, message, undefined, laneOf(message));
        }
      }),
  };
}

interface AnyMessage {
  readonly type: string;
  readonly body: unknown;
  readonly delayMs?: number | undefined;
}

function targetOf(to: SendTarget, maxBytes: number | undefined, setup: TransportSetup): Target {
  if ('queueUrl' in to) return queueTarget(to, maxBytes, setup);
  if ('topicArn' in to) return topicTarget(to, maxBytes, setup);
  return eventBusTarget(to, maxBytes, setup);
}

function checkGroups({ types }: Messages): void {
  const type = Object.keys(types).find(
    (name) => groupOfBody(types[name] as (typeof types)[string]) === undefined,
  );
  if (type !== undefined) {
    throw new ConfigurationError(`createSender: FIFO targets need a group; give \`${type}\` a \`group\``);
  }
}

function reportOf<Sent>(messages: readonly Sent[], outcomes: readonly Outcome[]): SendReport<Sent> {
  const sent: Sent[] = [];
  const failed: { message: Sent; error: Error; isRetryable: boolean }[] = [];
  const unknown: { message: Sent; error: Error }[] = [];
  for (let position = 0; position < messages.length; position += 1) {
    const message = messages[position] as Sent;
    const outcome = outcomes[position] as Outcome;
    if (outcome.status === 'sent') sent.push(message);
    else if (outcome.status === 'unknown') unknown.push({ message, error: outcome.error });
    else failed.push({ message, error: outcome.error, isRetryable: outcome.isRetryable });
  }
  return { sent, failed, unknown };
}
