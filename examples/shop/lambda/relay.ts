import { type OutboxStreamHandler, relay } from 'batchlatch/outbox';
import { sender } from './shop.ts';

/** Sends new messages, as the table's stream brings them. */
export const handler: OutboxStreamHandler = relay(sender);
