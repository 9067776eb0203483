import { type OutboxStreamHandler, relay } from 'batchlatch/outbox';
import { sender } from './sender.ts';

/** Sends new messages, as the table's stream brings them. */
export const handler: OutboxStreamHandler = relay(sender);
