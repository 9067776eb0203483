import type { AsyncResource } from 'node:async_hooks';
import type { StopSignal } from './stop.ts';

/** One user of a queue: an invocation, or a call. */
export interface QueueMember {
  /** Whether it may soon bring another item. */
  readonly isBusy: () => boolean;
  /** Aborted when it waits for no answer any longer. */
  readonly signal: StopSignal;
  /** Calls `send`, for a request with items of these records of the member, in a context of its own. Default: it is just called. */
  readonly around?: ((recordIds: readonly string[], send: () => void) => void) | undefined;
  /** Takes what an `onAnswer` of the member has thrown, which must not reach the others of a request. */
  readonly onError: (thrown: unknown) => void;
  /** Called after the answers of each request. */
  readonly onAnswered?: () => void;
}

/** Takes the answer of one item; called once. `note` came with the item. */
type OnAnswer<Item, Note, Outcome> = (note: Note, outcome: Outcome, item: Item) => void;

/** One member's way into a queue. */
export interface QueueAccess<Item, Note, Outcome> {
  /** Adds an item. `onAnswer` is called once, and never before `put` has returned. */
  put(item: Item, note: Note, onAnswer: OnAnswer<Item, Note, Outcome>): void;
  /** Adds items that are to share requests, each with its note. */
  putAll(items: readonly Item[], notes: readonly Note[], onAnswer: OnAnswer<Item, Note, Outcome>): void;
  /** To be called when something that could have brought another item has ended. */
  flushIfIdle(): void;
  /** To be called when nothing more is added. What is on its way is still answered. */
  leave(): void;
}

/** An item that waits for its answer, and who waits for it. */
export interface Waiting<Item, Note, Outcome, Member> {
  readonly item: Item;
  readonly note: Note;
  readonly member: Member;
  /** The asynchronous context of the member: a request may be sent in that of another. */
  readonly place: AsyncResource;
  readonly onAnswer: OnAnswer<Item, Note, Outcome>;
  isAnswered: boolean;
  noted: Outcome | undefined;
}
