import { builtIn } from './built-in.ts';
import type { Clock } from './clock.ts';
import type { QueueAccess, QueueMember, Waiting } from './queue-member.ts';
import { answerAll, RequestGroup, sendInContexts } from './request-group.ts';
import { Stop, type StopSignal } from './stop.ts';

const { AsyncResource } = builtIn('node:async_hooks');

export interface RequestQueueOptions<Item, Note, Outcome, Member extends QueueMember> {
  readonly requestSize: number;
  /** How long an item waits for others, in milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Sends a request and answers its items. Never rejects. */
  readonly send: (group: RequestGroup<Item, Note, Outcome, Member>) => Promise<void>;
  /** Returns the outcome of an item whose member has stopped waiting. */
  readonly givenUp: () => Outcome;
  /** Returns the record of an item, for members that put a context around requests. */
  readonly recordIdOf?: ((note: Note) => string) | undefined;
}

interface InFlight<Item, Note, Outcome, Member> {
  readonly group: readonly Waiting<Item, Note, Outcome, Member>[];
  /** The member of all items; undefined if there are several. */
  readonly onlyMember: Member | undefined;
  /** Undefined: the signal of `onlyMember` ends the request. */
  readonly stop: Stop | undefined;
}

/**
 * A queue that carries many items in few requests. An item waits for others until a request is full; its
 * member will add no more and no other member's request is pending; such a request is answered; or `lingerMs`
 * is over. Items that come while a request is pending thus share the next, like the group commit of databases
 * (DeWitt et al. 1984).
 *
 * Members share only requests: each stops waiting at its own signal, and the request continues for the
 * others. Items with equal keys never share a request.
 */
export class RequestQueue<
  Item extends { readonly key: string },
  Note,
  Outcome,
  Member extends QueueMember = QueueMember,
> {
  readonly #options: RequestQueueOptions<Item, Note, Outcome, Member>;
  // Changed in place: the queue is long-lived, and old arrays would be retained as long.
  readonly #inFlight: InFlight<Item, Note, Outcome, Member>[] = [];
  readonly #waiting: Waiting<Item, Note, Outcome, Member>[] = [];
  #cancelLinger: (() => void) | undefined;

  constructor(options: RequestQueueOptions<Item, Note, Outcome, Member>) {
    this.#options = options;
  }

  join(member: Member): QueueAccess<Item, Note, Outcome> {
    const { signal } = member;
    const giveUp = (): void => this.#giveUp(member);
    let place: InstanceType<typeof AsyncResource> | undefined;
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

  /** Sends items added after the member's signal, one by one: not awaited, but they may still be written. */
  #sendOwn(member: Member): void {
    for (const one of this.#take(member)) void this.#send([one], [member], member.signal);
  }

  /** Whether an idle member has nothing to wait for: no pending answer would bring items to join its own. */
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

  /** Takes the next items that may share a request, in order. */
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
    if (this.#waiting.length === 0) this.#endLinger(); // the next item starts its own linger
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
