/**
 * A typed sender of messages to SQS, SNS and EventBridge.
 *
 * @module batchlatch/sender
 */
export { createSender } from './create-sender.ts';
export type { SenderOptions, TraceContext } from './options.ts';
export type {
  DelayOf,
  EventBusTarget,
  FailedMessage,
  OutgoingMessage,
  QueueTarget,
  SendAllOptions,
  Sender,
  SendOptions,
  SendReport,
  SendTarget,
  TopicTarget,
  UnknownMessage,
} from './sender.ts';
export type { BatchResult, EventBusClient, EventsResult, QueueClient, TopicClient } from './clients.ts';
export { SendError } from './send-error.ts';
export { type EncodedMessage, InvalidMessageError } from '../messages/encode-message.ts';
export type { LargeBodies } from '../messages/large-bodies.ts';
export type { TraceHeaders } from '../messages/trace-headers.ts';
