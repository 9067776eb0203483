import type { Clock } from './clock.ts';
import { Stop, type StopSignal } from './stop.ts';

/** One user of a queue: an invocation, or a call. */
export interface QueueMember {
  /** Whether it may soon bring another item. */
  readonly isBusy: () => boolean;
  /** Aborted when it waits for no answer any longer. */
  readonly signal: StopSignal;
  /** Calls `send`, for a request with items of these records of the member, in a context of its own. Default: it is just called. */
  readonly around?: ((recordIds: readonly string[], send: () => void) => void) | undefined;
}

/** The items of one request. */
export interface RequestGroup<Item, Outcome> {
  readonly items: readonly Item[];
  /** Aborted once none of them is awaited any longer. */
  readonly signal: StopSignal;
  /** Whether somebody still waits for its answer. */
  isWanted(index: number): boolean;
  /** The outcome for now: what counts if its member stops waiting before there is another. */
  note(index: number, outcome: Outcome): void;
  /** Does nothing where nobody waits for it any more. */
  answer(index: number, outcome: Outcome): void;
}

export interface RequestQueueOptions<Item, Outcome> {
  /** The most items of one request. */
  readonly requestSize: number;
  /** How long an item waits for others, in milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Items of equal keys never share a request. */
  readonly keyOf: (item: Item) => string;
  /** Sends a request and answers each item of it. Never rejects. */
  readonly send: (group: RequestGroup<Item, Outcome>) => Promise<void>;
  /** The outcome of an item whose member has stopped waiting. */
  readonly givenUp: () => Outcome;
  /** The record of an item, for members that put a context around requests. */
  readonly recordIdOf?: (item: Item) => string | undefined;
}

/** One member's way into a queue. */
export interface QueueAccess<Item, Outcome> {
  /** What the member makes of the outcome of each item, in order. A promise rejects only with what `answerOf` throws. */
  add<Answer>(
    items: readonly Item[],
    answerOf: (outcome: Outcome, index: number) => Answer,
  ): Promise<Answer>[];
  /** To be called when something that could have brought another item has ended. */
  flushIfIdle(): void;
  /** To be called when nothing more is added. What is on its way is still answered. */
  leave(): void;
}

/** What becomes of an item that waits, and who waits for it. One object for each of thousands, without functions of its own. */
interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly member: QueueMember;
  /** Of the items that were added together, which one it is. */
  readonly index: number;
  readonly answerOf: (outcome: Outcome, index: number) => unknown;
  readonly resolve: (answer: never) => void;
  readonly reject: (thrown: unknown) => void;
  isAnswered: boolean;
  noted: { readonly outcome: Outcome } | undefined;
}

interface InFlight<Item, Outcome> {
  readonly group: readonly Waiting<Item, Outcome>[];
  /** The only member that has an item in it, where there is one. */
  readonly onlyMember: QueueMember | undefined;
  /** Undefined: the only member's own signal ends it. */
  readonly stop: Stop | undefined;
}

/**
 * Carries many items in few requests. An item waits for others until one of these is true: a request is full; its
 * member will not bring more, and no request of another member is on its way; such a request has been answered; or
 * `lingerMs` is over. So what ends while a request is on its way goes together in the next. The idea is the databases'
 * group commit of log records (DeWitt et al. 1984).
 *
 * The members share requests and nothing else: each stops waiting at its own signal, and a request goes on for the
 * others.
 */
export class RequestQueue<Item, Outcome> {
  readonly #options: RequestQueueOptions<Item, Outcome>;
  // Both are changed in place: the queue lives long, and what a list of its own past held would live as long.
  readonly #inFlight: InFlight<Item, Outcome>[] = [];
  readonly #waiting: Waiting<Item, Outcome>[] = [];
  #cancelLinger: (() => void) | undefined;

  constructor(options: RequestQueueOptions<Item, Outcome>) {
    this.#options = options;
  }

  join(member: QueueMember): QueueAccess<Item, Outcome> {
    const { signal } = member;
    const giveUp = (): void => this.#giveUp(member);
    signal.addEventListener('abort', giveUp, { once: true });
    return {
      add: (items, answerOf) => {
        const answers = items.map((item, index) => this.#push(item, index, member, answerOf));
        this.#flushAfter(member);
        return answers;
      },
      flushIfIdle: () => {
        if (this.#waiting.length > 0 && this.#isIdle(member)) this.#flush();
      },
      leave: () => signal.removeEventListener('abort', giveUp),
    };
  }

  #push<Answer>(
    item: Item,
    index: number,
    member: QueueMember,
    answerOf: (outcome: Outcome, index: number) => Answer,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const one: Waiting<Item, Outcome> = {
        item,
        member,
        index,
        answerOf,
        resolve,
        reject,
        isAnswered: false,
        noted: undefined,
      };
      // Its answer is no longer awaited, but it may still be written: that is left to the store.
      if (member.signal.aborted) void this.#send([one], member.signal);
      else this.#waiting.push(one);
    });
  }

  #flushAfter(member: QueueMember): void {
    const { requestSize, clock, lingerMs } = this.#options;
    while (this.#waiting.length >= requestSize) this.#sendNext();
    if (this.#waiting.length === 0) return;
    if (this.#isIdle(member)) this.#flush();
    else this.#cancelLinger ??= clock.setTimer(() => this.#flush(), lingerMs);
  }

  /** Whether there is nothing to wait for: no item of its own, and no answer that would let others go along. */
  #isIdle(member: QueueMember): boolean {
    if (member.isBusy()) return false;
    // What has an outcome for now is being sent again: that may take long, and brings nothing for others to go along with.
    const isWaitedFor = (one: Waiting<Item, Outcome>): boolean =>
      one.member !== member && !one.isAnswered && one.noted === undefined;
    return !this.#inFlight.some(({ group, onlyMember }) => onlyMember !== member && group.some(isWaitedFor));
  }

  #flush(): void {
    while (this.#waiting.length > 0) this.#sendNext();
  }

  #sendNext(): void {
    this.#endLinger();
    const group = this.#takeGroup();
    const [first] = group;
    const isShared = group.some(({ member }) => member !== first?.member);
    const onlyMember = isShared ? undefined : first?.member;
    const stop = onlyMember === undefined ? new Stop() : undefined;
    const inFlight = { group, onlyMember, stop };
    this.#inFlight.push(inFlight);
    void this.#send(group, stop ?? (onlyMember as QueueMember).signal).then(() => {
      this.#inFlight.splice(this.#inFlight.indexOf(inFlight), 1);
      if (this.#waiting.some(({ member }) => !member.isBusy())) this.#flush();
    });
  }

  /** The next items that may share a request, in their order. */
  #takeGroup(): Waiting<Item, Outcome>[] {
    const { keyOf, requestSize } = this.#options;
    const keys = new Set<string>();
    const group: Waiting<Item, Outcome>[] = [];
    for (const one of this.#waiting.splice(0)) {
      const key = keyOf(one.item);
      if (group.length === requestSize || keys.has(key)) this.#waiting.push(one);
      else {
        keys.add(key);
        group.push(one);
      }
    }
    return group;
  }

  /** In the contexts of all members that have items in it. */
  #send(group: readonly Waiting<Item, Outcome>[], signal: StopSignal): Promise<void> {
    let sent: Promise<void> | undefined;
    let send = (): void => void (sent = this.#sendNow(group, signal));
    // The first of them outermost.
    for (const member of [...new Set(group.map((one) => one.member))].toReversed()) {
      const { around } = member;
      const inner = send;
      if (around !== undefined) send = () => around(this.#recordsOf(group, member), inner);
    }
    send();
    return sent ?? this.#sendNow(group, signal);
  }

  #recordsOf(group: readonly Waiting<Item, Outcome>[], wanted: QueueMember): string[] {
    return group.flatMap(({ item, member }) =>
      member === wanted ? (this.#options.recordIdOf?.(item) ?? []) : [],
    );
  }

  async #sendNow(group: readonly Waiting<Item, Outcome>[], signal: StopSignal): Promise<void> {
    await this.#options.send({
      items: group.map(({ item }) => item),
      signal,
      isWanted: (index) => group[index]?.isAnswered === false,
      note(index, outcome) {
        (group[index] as Waiting<Item, Outcome>).noted = { outcome };
      },
      answer(index, outcome) {
        const one = group[index] as Waiting<Item, Outcome>;
        if (!one.isAnswered) answer(one, outcome);
      },
    });
  }

  #endLinger(): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
  }

  #giveUp(member: QueueMember): void {
    const own: Waiting<Item, Outcome>[] = [];
    for (const one of this.#waiting.splice(0)) (one.member === member ? own : this.#waiting).push(one);
    if (this.#waiting.length === 0) this.#endLinger(); // the next to wait has a linger of its own
    for (const { group } of this.#inFlight) own.push(...group.filter((one) => one.member === member));
    for (const one of own) if (!one.isAnswered) answer(one, one.noted?.outcome ?? this.#options.givenUp());
    for (const { group, stop } of this.#inFlight) {
      if (group.every(({ isAnswered }) => isAnswered)) stop?.abort();
    }
  }
}

function answer<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome): void {
  one.isAnswered = true;
  try {
    one.resolve(one.answerOf(outcome, one.index) as never);
  } catch (thrown) {
    one.reject(thrown); // to its own member: the others of the request have their answers still to come
  }
}
