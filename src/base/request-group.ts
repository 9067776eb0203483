import type { AsyncResource } from 'node:async_hooks';
import type { QueueMember, Waiting } from './queue-member.ts';
import type { StopSignal } from './stop.ts';

/** The items of one request of a `RequestQueue`. */
export class RequestGroup<Item, Note, Outcome, Member extends QueueMember = QueueMember> {
  readonly items: Item[] = [];
  readonly indexes: number[] = [];
  /** The notes and members of the items, by index. */
  readonly notes: Note[] = [];
  readonly members: Member[] = [];
  /** Aborted when nobody waits for any of the items. */
  readonly signal: StopSignal;
  readonly #waiting: readonly Waiting<Item, Note, Outcome, Member>[];
  readonly #onPartial: () => void;

  /** `onPartial` is called when some items are answered and others are retried. */
  constructor(
    waiting: readonly Waiting<Item, Note, Outcome, Member>[],
    signal: StopSignal,
    onPartial: () => void,
  ) {
    this.signal = signal;
    this.#waiting = waiting;
    for (const { item, note, member } of waiting) {
      this.indexes.push(this.items.length);
      this.items.push(item);
      this.notes.push(note);
      this.members.push(member);
    }
    this.#onPartial = onPartial;
  }

  /** Whether somebody still waits for the item. */
  isWanted(index: number): boolean {
    return this.#waiting[index]?.isAnswered === false;
  }

  /** Keeps an outcome that counts if the member stops waiting before there is another. */
  note(index: number, outcome: Outcome): void {
    (this.#waiting[index] as Waiting<Item, Note, Outcome, Member>).noted = outcome;
  }

  /** Answers items, by index, with outcomes in the same order. Returns the indexes that nobody waits for. */
  answer(indexes: readonly number[], outcomes: readonly Outcome[]): number[] {
    const answered: Waiting<Item, Note, Outcome, Member>[] = [];
    const unwanted: number[] = [];
    for (const index of indexes) {
      const one = this.#waiting[index] as Waiting<Item, Note, Outcome, Member>;
      answered.push(one);
      if (one.isAnswered) unwanted.push(index);
    }
    answerAll(answered, outcomes);
    // Items that waited for these answers need not wait for the retried ones.
    if (answered.length < this.#waiting.length) this.#onPartial();
    return unwanted;
  }
}

/** Answers each member in its own asynchronous context. An error goes only to its own member. */
export function answerAll<Item, Note, Outcome, Member extends QueueMember>(
  items: readonly Waiting<Item, Note, Outcome, Member>[],
  outcomes: readonly Outcome[],
): void {
  const members = new Map<Member, AsyncResource>();
  // By index: the entries of a list are an object each, and there are thousands.
  for (let position = 0; position < items.length; position += 1) {
    const { member, place } = items[position] as Waiting<Item, Note, Outcome, Member>;
    members.set(member, place);
  }
  for (const [member, place] of members) {
    place.runInAsyncScope(() => {
      for (let position = 0; position < items.length; position += 1) {
        const one = items[position] as Waiting<Item, Note, Outcome, Member>;
        if (one.member !== member || one.isAnswered) continue;
        one.isAnswered = true;
        try {
          one.onAnswer(one.note, outcomes[position] as Outcome, one.item);
        } catch (thrown) {
          member.onError(thrown);
        }
      }
      try {
        member.onAnswered?.();
      } catch (thrown) {
        member.onError(thrown);
      }
    });
  }
}

/** Sends in the contexts of all members of a request, the first outermost. */
export function sendInContexts<Item, Note, Outcome, Member extends QueueMember>(
  group: readonly Waiting<Item, Note, Outcome, Member>[],
  members: readonly Member[],
  recordIdOf: ((note: Note) => string) | undefined,
  send: () => Promise<void>,
): Promise<void> {
  let sent: Promise<void> | undefined;
  let inside = (): void => void (sent = send());
  for (const member of members.toReversed()) {
    const { around } = member;
    if (around === undefined) continue;
    const inner = inside;
    const recordIds = group.flatMap((one) =>
      one.member === member && recordIdOf !== undefined ? [recordIdOf(one.note)] : [],
    );
    inside = () => around(recordIds, inner);
  }
  inside();
  return sent ?? send();
}
