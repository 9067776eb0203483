import type { AsyncResource } from 'node:async_hooks';
import type { StopSignal } from './stop.ts';

/** A user of a queue: an invocation or a call. */
export interface QueueMember {
  /** Returns whether the member may soon add another item. */
  readonly isBusy: () => boolean;
  /** Aborted when the member stops waiting for answers. */
  readonly signal: StopSignal;
  /** Calls `send`, for a request with these records, in the member's context. Default: calls it directly. */
  readonly around?: ((recordIds: readonly string[], send: () => void) => void) | undefined;
  /** Takes errors of the member's `onAnswer`, which must not affect other members of the request. */
  readonly onError: (thrown: unknown) => void;
  readonly onAnswered?: () => void;
}

/** Takes the answer to an item, once. `note` was passed with the item. */
type OnAnswer<Item, Note, Outcome> = (note: Note, outcome: Outcome, item: Item) => void;

/** A member's access to a queue. */
export interface QueueAccess<Item, Note, Outcome> {
  /** Adds an item. `onAnswer` is called once, and never before `put` has returned. */
  put(item: Item, note: Note, onAnswer: OnAnswer<Item, Note, Outcome>): void;
  /** Adds items to share requests, each with its note. */
  putAll(items: readonly Item[], notes: readonly Note[], onAnswer: OnAnswer<Item, Note, Outcome>): void;
  /** Called when something that could have brought another item has ended. */
  flushIfIdle(): void;
  /** Called when the member adds nothing more. Pending items are still answered. */
  leave(): void;
}

/** An item that waits for its answer. */
export interface Waiting<Item, Note, Outcome, Member> {
  readonly item: Item;
  readonly note: Note;
  readonly member: Member;
  /** The member's asynchronous context: the request may be sent in another member's. */
  readonly place: AsyncResource;
  readonly onAnswer: OnAnswer<Item, Note, Outcome>;
  isAnswered: boolean;
  noted: Outcome | undefined;
}
