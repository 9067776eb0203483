import type { EncodedMessage } from '../messages/encode-message.ts';
import type { SendError } from './send-error.ts';

/** A message in the form of the target's API. */
export interface Entry {
  /** The bytes that count towards the target's limit. */
  readonly bytes: number;
  /** The input of the API. A request sets its `Id`. */
  readonly input: Record<string, unknown>;
}

/** The target's answer for a message that it did not confirm. */
export interface Refusal {
  readonly error: SendError;
  /**
   * `again`: not taken now, perhaps later. `alone`: the whole request was refused, perhaps because of another
   * message. `refused`: not taken, and never will be. `unknown`: no answer.
   */
  readonly next: 'again' | 'alone' | 'refused' | 'unknown';
}

/** A queue, a topic or an event bus. */
export interface Target {
  /** Whether it keeps the order of a group and drops second copies, as FIFO queues and topics do. */
  readonly isFifo: boolean;
  /** The most bytes of a message, and of all messages of a request. */
  readonly maxBytes: number;
  /** Returns the entry of a message. Throws for one that the target would refuse. */
  entryOf(message: EncodedMessage, delayMs: number | undefined): Entry;
  /** Sends up to ten entries. Resolves with undefined for each that the target has. Never rejects. */
  send(entries: readonly Entry[]): Promise<readonly (Refusal | undefined)[]>;
}

/** The most entries in a request, of SQS, SNS and EventBridge alike. */
export const MOST_ENTRIES = 10;
