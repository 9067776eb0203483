import { AsyncResource } from 'node:async_hooks';
import type { Clock } from './clock.ts';
import type { QueueAccess, QueueMember, Waiting } from './queue-member.ts';
import { answerAll, RequestGroup, sendInContexts } from './request-group.ts';
import { Stop, type StopSignal } from './stop.ts';

export interface RequestQueueOptions<Item, Note, Outcome, Member extends QueueMember> {
  readonly requestSize: number;
  /** How long an item waits for others, in milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Sends a request and answers each item of it. Never rejects. */
  readonly send: (group: RequestGroup<Item, Note, Outcome, Member>) => Promise<void>;
  /** The outcome of an item whose member has stopped waiting. */
  readonly givenUp: () => Outcome;
  /** The record of an item, for members that put a context around requests. */
  readonly recordIdOf?: (note: Note) => string;
}

interface InFlight<Item, Note, Outcome, Member> {
  readonly group: readonly Waiting<Item, Note, Outcome, Member>[];
  /** The only member that has an item in it, where there is one. */
  readonly onlyMember: Member | undefined;
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
 * others. Items of equal keys never share a request.
 */
export class RequestQueue<
  Item extends { readonly key: string },
  Note,
  Outcome,
  Member extends QueueMember = QueueMember,
> {
  readonly #options: RequestQueueOptions<Item, Note, Outcome, Member>;
  // Both are changed in place: the queue lives long, and what a list of its own past held would live as long.
  readonly #inFlight: InFlight<Item, Note, Outcome, Member>[] = [];
  readonly #waiting: Waiting<Item, Note, Outcome, Member>[] = [];
  #cancelLinger: (() => void) | undefined;

  constructor(options: RequestQueueOptions<Item, Note, Outcome, Member>) {
    this.#options = options;
  }

  join(member: Member): QueueAccess<Item, Note, Outcome> {
    const { signal } = member;
    const giveUp = (): void => this.#giveUp(member);
    let place: AsyncResource | undefined;
    signal.addEventListener('abort', giveUp, { once: true });
    return {
      put: (item, note, onAnswer) => {
        place ??= new AsyncResource('batchlatch');
        this.#waiting.push({ item, note, member, place, onAnswer, isAnswered: false, noted: undefined });
        this.#sendWhatIsDue(member);
      },
      putAll: (items, notes, onAnswer) => {
        place ??= new AsyncResource('batchlatch');
        for (let index = 0; index < items.length; index += 1) {
          const item = items[index] as Item;
          const note = notes[index] as Note;
          this.#waiting.push({ item, note, member, place, onAnswer, isAnswered: false, noted: undefined });
        }
        this.#sendWhatIsDue(member);
      },
      flushIfIdle: () => {
        if (this.#waiting.length > 0 && !member.isBusy() && this.#isIdle(member)) this.#flush();
      },
      leave: () => signal.removeEventListener('abort', giveUp),
    };
  }

  #sendWhatIsDue(member: Member): void {
    const { requestSize, clock, lingerMs } = this.#options;
    if (member.signal.aborted) return this.#sendOwn(member);
    while (this.#waiting.length >= requestSize) this.#sendNext();
    if (this.#waiting.length === 0) return;
    if (!member.isBusy() && this.#isIdle(member)) this.#flush();
    else this.#cancelLinger ??= clock.setTimer(() => this.#flush(), lingerMs);
  }

  /** Sends what a member has added after its signal, one by one: the answer is not awaited, but the item may still be written. */
  #sendOwn(member: Member): void {
    for (const one of this.#take(member)) void this.#send([one], [member], member.signal);
  }

  /** Whether a member that brings nothing soon has nothing to wait for: no answer would let others go along. */
  #isIdle(member: Member): boolean {
    // Items being retried do not count: their next request may be far off, and nothing can join it.
    const isWaitedFor = (one: Waiting<Item, Note, Outcome, Member>): boolean =>
      one.member !== member && !one.isAnswered && one.noted === undefined;
    return !this.#inFlight.some(({ group, onlyMember }) => onlyMember !== member && group.some(isWaitedFor));
  }

  #flush(): void {
    while (this.#waiting.length > 0) this.#sendNext();
  }

  #sendNext(): void {
    this.#endLinger();
    const group = this.#takeGroup();
    const members = [...new Set(group.map(({ member }) => member))];
    const onlyMember = members.length === 1 ? members[0] : undefined;
    const stop = onlyMember === undefined ? new Stop() : undefined;
    const inFlight = { group, onlyMember, stop };
    this.#inFlight.push(inFlight);
    void this.#send(group, members, stop ?? (onlyMember as Member).signal).then(() => {
      this.#inFlight.splice(this.#inFlight.indexOf(inFlight), 1);
      if (this.#waiting.some(({ member }) => !member.isBusy())) this.#flush();
    });
  }

  #flushIdle(): void {
    if (this.#waiting.some(({ member }) => !member.isBusy() && this.#isIdle(member))) this.#flush();
  }

  /** The next items that may share a request, in their order. */
  #takeGroup(): Waiting<Item, Note, Outcome, Member>[] {
    const { requestSize } = this.#options;
    const keys = new Set<string>();
    const group: Waiting<Item, Note, Outcome, Member>[] = [];
    for (const one of this.#waiting.splice(0)) {
      // rule: one-key-a-request
      if (group.length === requestSize || keys.has(one.item.key)) this.#waiting.push(one);
      else {
        keys.add(one.item.key);
        group.push(one);
      }
    }
    return group;
  }

  #take(member: Member): Waiting<Item, Note, Outcome, Member>[] {
    const own: Waiting<Item, Note, Outcome, Member>[] = [];
    // rule: others-stay-queued
    for (const one of this.#waiting.splice(0)) (one.member === member ? own : this.#waiting).push(one);
    return own;
  }

  #send(
    group: readonly Waiting<Item, Note, Outcome, Member>[],
    members: readonly Member[],
    signal: StopSignal,
  ): Promise<void> {
    const { send, recordIdOf } = this.#options;
    return sendInContexts(group, members, recordIdOf, () =>
      send(new RequestGroup(group, signal, () => this.#flushIdle())),
    );
  }

  #endLinger(): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
  }

  #giveUp(member: Member): void {
    const own = this.#take(member);
    if (this.#waiting.length === 0) this.#endLinger(); // the next to wait has a linger of its own
    for (const { group } of this.#inFlight) own.push(...group.filter((one) => one.member === member));
    const left = own.filter(({ isAnswered }) => !isAnswered);
    answerAll(
      left,
      left.map(({ noted }) => noted ?? this.#options.givenUp()),
    );
    for (const { group, stop } of this.#inFlight) {
      if (group.every(({ isAnswered }) => isAnswered)) stop?.abort();
    }
  }
}
