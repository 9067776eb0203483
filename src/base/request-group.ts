import type { QueueMember, Waiting } from './queue-member.ts';
import type { StopSignal } from './stop.ts';

/** The items of one request of a `RequestQueue`, and who waits for their answers. */
export class RequestGroup<Item, Note, Outcome, Member extends QueueMember = QueueMember> {
  readonly items: readonly Item[];
  /** What came with each item, and whose it is. */
  readonly notes: readonly Note[];
  readonly members: readonly Member[];
  /** Aborted once none of them is awaited any longer. */
  readonly signal: StopSignal;
  readonly #waiting: readonly Waiting<Item, Note, Outcome, Member>[];
  readonly #onPartial: () => void;

  /** `onPartial` is called when some of the items are answered and others are asked for again. */
  constructor(
    waiting: readonly Waiting<Item, Note, Outcome, Member>[],
    signal: StopSignal,
    onPartial: () => void,
  ) {
    this.items = waiting.map(({ item }) => item);
    this.notes = waiting.map(({ note }) => note);
    this.members = waiting.map(({ member }) => member);
    this.signal = signal;
    this.#waiting = waiting;
    this.#onPartial = onPartial;
  }

  /** Whether somebody still waits for its answer. */
  isWanted(index: number): boolean {
    return this.#waiting[index]?.isAnswered === false;
  }

  /** Keeps the outcome for now: it counts if the member stops waiting before there is another. */
  note(index: number, outcome: Outcome): void {
    (this.#waiting[index] as Waiting<Item, Note, Outcome, Member>).noted = outcome;
  }

  /**
   * Answers items, by their indexes, with the outcomes in the same order. Does nothing where nobody waits any more, and returns the
   * indexes of those.
   */
  answer(indexes: readonly number[], outcomes: readonly Outcome[]): number[] {
    const answered: Waiting<Item, Note, Outcome, Member>[] = [];
    const unwanted: number[] = [];
    for (const index of indexes) {
      const one = this.#waiting[index] as Waiting<Item, Note, Outcome, Member>;
      answered.push(one);
      if (one.isAnswered) unwanted.push(index);
    }
    answerAll(answered, outcomes);
    // What waited for these answers does not wait for those that are asked for again.
    if (answered.length < this.#waiting.length) this.#onPartial();
    return unwanted;
  }
}

/** Each member learns of its answers in its own asynchronous context. What an answer throws goes to its member alone. */
export function answerAll<Item, Note, Outcome, Member extends QueueMember>(
  items: readonly Waiting<Item, Note, Outcome, Member>[],
  outcomes: readonly Outcome[],
): void {
  const members = new Map(items.map(({ member, place }) => [member, place]));
  for (const [member, place] of members) {
    place.runInAsyncScope(() => {
      for (const [position, one] of items.entries()) {
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
