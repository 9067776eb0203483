import type { EncodedMessage } from '../messages/encode-message.ts';
import { notSent, perhapsSent, type SendError } from './send-error.ts';
import type { Entry, Refusal } from './target.ts';

/** The call of a message, as the queue answers it. */
export interface ItemCall {
  readonly isOver: boolean;
  sent(position: number): void;
  failed(position: number, error: Error, isRetryable: boolean, lane?: string): void;
  unknown(position: number, error: Error, lane: string | undefined): void;
  /** Returns the message of this call that failed and holds a group; undefined if there is none. */
  holderOf(lane: string): Holder | undefined;
}

/** The message of a call that failed and holds its group. */
export interface Holder {
  readonly position: number;
  readonly type: string;
  readonly error: Error;
}

/** A message on its way. */
export interface Item {
  readonly call: ItemCall;
  /** The message's place in its call. */
  readonly position: number;
  readonly message: EncodedMessage;
  readonly delayMs: number | undefined;
  /** The group whose order is kept; undefined if no order is. */
  readonly lane: string | undefined;
  /**
   * `queued`: behind another of its lane. `preparing`: its body goes to S3. `ready`: for the next request.
   * `sending`: in a request. `resting`: before another try. `over`: it has left its lane.
   */
  state: 'queued' | 'preparing' | 'ready' | 'sending' | 'resting' | 'over';
  entry: Entry | undefined;
  tries: number;
  firstSentAt: number;
  /** Whether it has to be sent in a request of its own. */
  isAlone: boolean;
  /** The error of the first try without an answer: the message may have arrived since. */
  unanswered: SendError | undefined;
  lastRefusal: Refusal | undefined;
}

/** The error of a message whose call is over before it was sent. */
export function outOfTime(item: Item | undefined): SendError {
  const reason = 'The time or the signal of the call was over';
  if (item?.state === 'sending')
    return perhapsSent(`${reason} before the target answered`, item.lastRefusal?.error);
  return item?.unanswered ?? notSent(`${reason} before the message was sent`, true, item?.lastRefusal?.error);
}
