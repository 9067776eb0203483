import type { EncodedMessage } from '../messages/encode-message.ts';
import type { MessageTypes, SentAs } from '../messages/messages.ts';
import type { CommandClient } from '../options/command-client.ts';
import type { EventBusClient, QueueClient, TopicClient } from './clients.ts';

/** An SQS queue. */
export interface QueueTarget {
  /** The queue's URL. A name that ends in `.fifo` is a FIFO queue. */
  readonly queueUrl: string;
  /** `new SQS()` or `new SQSClient()`. Default: requests without AWS's SDK, where the environment allows. */
  readonly client?: QueueClient | CommandClient;
}

/** An SNS topic. */
export interface TopicTarget {
  /** The topic's ARN. A name that ends in `.fifo` is a FIFO topic. */
  readonly topicArn: string;
  /** `new SNS()` or `new SNSClient()`. Default: a new one, for the topic's Region. */
  readonly client?: TopicClient | CommandClient;
}

/** An EventBridge event bus. */
export interface EventBusTarget {
  /** The bus's name or ARN. */
  readonly eventBusName: string;
  /** The `source` of each event. */
  readonly source: string;
  /** `new EventBridge()` or `new EventBridgeClient()`. Default: requests without AWS's SDK. */
  readonly client?: EventBusClient | CommandClient;
}

/** Where a sender sends to. */
export type SendTarget = QueueTarget | TopicTarget | EventBusTarget;

/**
 * The delay that a target allows: on standard queues alone.
 *
 * @typeParam To The target.
 */
export type DelayOf<To> = To extends QueueTarget
  ? To['queueUrl'] extends `${string}.fifo`
    ? never
    : number
  : never;

/** How long a call may take. */
export interface SendAllOptions {
  /** Ends the call: of a handler, `context.signal`. Messages without an answer are then `unknown`. */
  readonly signal?: AbortSignal;
  /** The time for the call and its retries, in milliseconds. Default 30,000. */
  readonly deadlineMs?: number;
}

/**
 * Options of one message.
 *
 * @typeParam To The target.
 */
export interface SendOptions<To = SendTarget> extends SendAllOptions {
  /**
   * How long the queue hides the message, in milliseconds, at most 900,000 (15 minutes); rounded up to whole
   * seconds. On standard queues only. Default: the queue's own delay.
   */
  readonly delayMs?: DelayOf<To>;
}

/**
 * A message to send: a type and its body.
 *
 * @typeParam Types The types of message.
 * @typeParam To The target.
 */
export type OutgoingMessage<Types extends MessageTypes = MessageTypes, To = SendTarget> = {
  readonly [Type in keyof Types & string]: {
    /** The name of the type in `messages()`. */
    readonly type: Type;
    /** The body: its schema's input, sent as given. */
    readonly body: SentAs<Types, Type>;
    /** How long the queue hides the message; see `SendOptions`. */
    readonly delayMs?: DelayOf<To>;
  };
}[keyof Types & string];

/**
 * How the messages of a call ended. Each is in one of the lists, in the order of the call.
 *
 * @typeParam Sent The type of the messages.
 */
export interface SendReport<Sent = OutgoingMessage> {
  /** The target has them. */
  readonly sent: readonly Sent[];
  /** The target does not have them. */
  readonly failed: readonly FailedMessage<Sent>[];
  /** They were sent, and there was no answer: they may have arrived. */
  readonly unknown: readonly UnknownMessage<Sent>[];
}

/**
 * A message that the target does not have.
 *
 * @typeParam Sent The type of the messages.
 */
export interface FailedMessage<Sent = OutgoingMessage> {
  /** The message as it was given. */
  readonly message: Sent;
  /** Why it was not sent: a `SendError`, or an `InvalidMessageError` or `KeyError` for its body. */
  readonly error: Error;
  /** Whether sending it again may succeed without a change. */
  readonly isRetryable: boolean;
}

/**
 * A message that may have arrived.
 *
 * @typeParam Sent The type of the messages.
 */
export interface UnknownMessage<Sent = OutgoingMessage> {
  /** The message as it was given. */
  readonly message: Sent;
  /** Why there is no answer. */
  readonly error: Error;
}

/**
 * Sends messages to one target. Concurrent calls share requests. Created by `createSender()`.
 *
 * @typeParam Types The types of message.
 * @typeParam To The target.
 */
export interface Sender<Types extends MessageTypes = MessageTypes, To = SendTarget> {
  /**
   * Resolves when the target has the message. Rejects with a `SendError` otherwise, whose `isUnknown` says
   * that the message may have arrived, or with an `InvalidMessageError` for its body.
   *
   * @typeParam Type The type of the message.
   * @param type The name of the type in `messages()`.
   * @param body The body: its schema's input, sent as given.
   * @param options The delay, and how long the call may take.
   */
  send<Type extends keyof Types & string>(
    type: Type,
    body: SentAs<Types, Type>,
    options?: SendOptions<To>,
  ): Promise<void>;
  /**
   * Sends messages and resolves with what became of each. Never rejects for a message.
   *
   * @param messages The messages. On FIFO targets, those of a group are sent in this order.
   * @param options How long the call may take.
   */
  sendAll(
    messages: readonly OutgoingMessage<Types, To>[],
    options?: SendAllOptions,
  ): Promise<SendReport<OutgoingMessage<Types, To>>>;
  /**
   * Sends messages that are encoded already, as an outbox keeps them.
   *
   * @internal
   * @param messages The messages. On FIFO targets, those of a group are sent in this order.
   * @param options How long the call may take.
   */
  sendEncoded<Sent extends EncodedMessage>(
    messages: readonly Sent[],
    options?: SendAllOptions,
  ): Promise<SendReport<Sent>>;
}
