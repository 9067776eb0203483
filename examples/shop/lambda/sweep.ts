import { type OutboxSweep, sweepOutbox } from 'batchlatch/outbox';
import { sender } from './sender.ts';

/** Sends what the stream has left, and counts the rest. */
export const handler: OutboxSweep = sweepOutbox(sender);
