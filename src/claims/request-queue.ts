import type { Clock } from './clock.ts';

/** One user of a queue: an invocation, or a call. */
export interface QueueMember {
  /** Whether it may soon bring another item. */
  readonly isBusy: () => boolean;
  /** Aborted when it waits for no answer any longer. */
  readonly signal: AbortSignal;
}

/** The items of one request. */
export interface RequestGroup<Item, Outcome> {
  readonly items: readonly Item[];
  /** Aborted once nobody waits for any of them. */
  readonly signal: AbortSignal;
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
}

/** One member's way into a queue. */
export interface QueueAccess<Item, Outcome> {
  /** An outcome for each item, in order. The promises never reject. */
  add(items: readonly Item[]): Promise<Outcome>[];
  /** To be called when something that could have brought another item has ended. */
  flushIfIdle(): void;
  /** To be called when nothing more is added. What is on its way is still answered. */
  leave(): void;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly member: Member<Item, Outcome>;
  readonly resolve: (outcome: Outcome) => void;
  isAnswered: boolean;
  noted?: { readonly outcome: Outcome };
}

interface Member<Item, Outcome> extends QueueMember {
  /** Its items that have no outcome yet. */
  readonly open: Set<Waiting<Item, Outcome>>;
}

interface InFlight<Item, Outcome> {
  readonly group: readonly Waiting<Item, Outcome>[];
  readonly controller: AbortController;
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
  readonly #inFlight = new Set<InFlight<Item, Outcome>>();
  #waiting: Waiting<Item, Outcome>[] = [];
  #cancelLinger: (() => void) | undefined;

  constructor(options: RequestQueueOptions<Item, Outcome>) {
    this.#options = options;
  }

  join({ isBusy, signal }: QueueMember): QueueAccess<Item, Outcome> {
    const member: Member<Item, Outcome> = { isBusy, signal, open: new Set() };
    const giveUp = (): void => this.#giveUp(member);
    signal.addEventListener('abort', giveUp, { once: true });
    return {
      add: (items) => {
        const outcomes = items.map((item) => this.#push(item, member));
        this.#flushAfter(member);
        return outcomes;
      },
      flushIfIdle: () => {
        if (this.#waiting.length > 0 && this.#isIdle(member)) this.#flush();
      },
      leave: () => signal.removeEventListener('abort', giveUp),
    };
  }

  #push(item: Item, member: Member<Item, Outcome>): Promise<Outcome> {
    return new Promise((resolve) => {
      const one: Waiting<Item, Outcome> = { item, member, resolve, isAnswered: false };
      // Nobody waits for its answer any longer, but it may still be written: what a store makes of that is its affair.
      if (member.signal.aborted) void this.#send([one], member.signal);
      else {
        member.open.add(one);
        this.#waiting.push(one);
      }
    });
  }

  #flushAfter(member: Member<Item, Outcome>): void {
    const { requestSize, clock, lingerMs } = this.#options;
    while (this.#waiting.length >= requestSize) this.#sendNext();
    if (this.#waiting.length === 0) return;
    if (this.#isIdle(member)) this.#flush();
    else this.#cancelLinger ??= clock.setTimer(() => this.#flush(), lingerMs);
  }

  /** Whether there is nothing to wait for: no item of its own, and no answer that would let others go along. */
  #isIdle(member: Member<Item, Outcome>): boolean {
    if (member.isBusy()) return false;
    // What has an outcome for now is being sent again: that may take long, and brings nothing for others to go along with.
    const isWaitedFor = (one: Waiting<Item, Outcome>): boolean =>
      one.member !== member && !one.isAnswered && one.noted === undefined;
    for (const { group } of this.#inFlight) if (group.some(isWaitedFor)) return false;
    return true;
  }

  #flush(): void {
    while (this.#waiting.length > 0) this.#sendNext();
  }

  #sendNext(): void {
    this.#endLinger();
    const keys = new Set<string>();
    const group: Waiting<Item, Outcome>[] = [];
    this.#waiting = this.#waiting.filter((one) => {
      const key = this.#options.keyOf(one.item);
      if (group.length === this.#options.requestSize || keys.has(key)) return true;
      keys.add(key);
      group.push(one);
      return false;
    });
    const controller = new AbortController();
    const inFlight = { group, controller };
    this.#inFlight.add(inFlight);
    void this.#send(group, controller.signal).then(() => {
      this.#inFlight.delete(inFlight);
      if (this.#waiting.some(({ member }) => !member.isBusy())) this.#flush();
    });
  }

  async #send(group: readonly Waiting<Item, Outcome>[], signal: AbortSignal): Promise<void> {
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

  #giveUp(member: Member<Item, Outcome>): void {
    this.#waiting = this.#waiting.filter((one) => one.member !== member);
    if (this.#waiting.length === 0) this.#endLinger(); // the next to wait has a linger of its own
    for (const one of member.open) answer(one, one.noted?.outcome ?? this.#options.givenUp());
    for (const { group, controller } of this.#inFlight) {
      if (group.every(({ isAnswered }) => isAnswered)) controller.abort();
    }
  }
}

function answer<Item, Outcome>(one: Waiting<Item, Outcome>, outcome: Outcome): void {
  one.isAnswered = true;
  one.member.open.delete(one);
  one.resolve(outcome);
}
