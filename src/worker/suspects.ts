import type { Clock } from '../base/clock.ts';
import { Gate } from './gate.ts';
import { type HandlerBatch, messagesIn, receivesOf } from './held-message.ts';

export interface SuspectsSetup {
  readonly clock: Clock;
  /** More may be received, or start, than before. */
  readonly onChange: () => void;
}

/** Suspects wait no longer for the others, and the others no longer for a suspect: a handler may never end. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** As many may be received at a time, at most, while it is not known whether there are suspects. */
const MOST_CAREFUL = 8;
/** How long a call may take to say that its message is a suspect: it has asked for its claim by then. */
const LONGEST_LOOK_MS = 1_000;

/**
 * Messages whose last attempt died with its process. Nobody knows whether they killed it or ran beside the one that did, so each runs
 * alone: whatever a process holds when it dies has lost a receive. Those with the fewest deaths run first, so the killer runs
 * when the others are done.
 *
 * | mode | begins | is received | starts |
 * |---|---|---|---|
 * | careful | the worker starts; the last suspect has ended | one message, then 2, 4 and 8, each when none of those before is a suspect | everything |
 * | open | a receive brings only messages that nobody has received before, or none of 8 is a suspect | as much as there is room for | everything |
 * | draining | a call has reported a suspect | nothing | everything but suspects |
 * | alone | nothing else is here, or the wait was too long | nothing | one suspect |
 */
export class Suspects {
  readonly #setup: SuspectsSetup;
  readonly #waiting: HandlerBatch[] = [];
  /** Messages that came again, and whose calls may still report them. */
  readonly #lookedAt = new Map<HandlerBatch, () => void>();
  /** How many messages may be received at a time; below ten: careful. */
  #most = 1;
  #alone: HandlerBatch | undefined;
  #hasWaitedLong = false;
  #cancel: (() => void) | undefined;
  readonly #changed = new Gate();

  constructor(setup: SuspectsSetup) {
    this.#setup = setup;
  }

  /** Messages that wait to run alone. */
  get messages(): number {
    return messagesIn(this.#waiting);
  }

  /** A suspect runs, and nothing else may start. */
  get isAlone(): boolean {
    return this.#alone !== undefined;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** How many messages may be received; a promise: none, until it resolves. */
  mayReceive(): number | Promise<void> {
    return this.isAlone || this.isWaiting || this.#lookedAt.size > 0 ? this.#changed.opened() : this.#most;
  }

  /** Messages have been received that are about to start. */
  look(batches: readonly HandlerBatch[]): void {
    if (this.#most === Infinity || this.isWaiting || this.isAlone) return;
    const again = batches.filter((batch) => mostReceivesOf(batch) > 1);
    if (again.length === 0) this.#most = Infinity; // nothing that is here can have been in a process that died
    for (const batch of again) {
      const cancel = this.#setup.clock.setTimer(() => this.noteEnd(batch), LONGEST_LOOK_MS);
      this.#lookedAt.set(batch, cancel);
    }
    if (again.length === 0) this.#change();
  }

  /** A call has ended, or takes its time, and has reported nothing. */
  noteEnd(batch: HandlerBatch): void {
    if (this.#isForgotten(batch)) this.#growUnlessLooking();
  }

  /** The call of `from` has reported a suspect. */
  add(suspect: HandlerBatch, from: HandlerBatch): void {
    this.#isForgotten(from);
    this.#most = 1;
    this.#waiting.push(suspect);
    // Of equal deaths, first what is nearer to the dead-letter queue.
    this.#waiting.sort((a, b) => (a.deaths ?? 0) - (b.deaths ?? 0) || mostReceivesOf(b) - mostReceivesOf(a));
    this.#limitWait(() => (this.#hasWaitedLong = true));
  }

  /** The call of this batch has reported that another owner holds its key. */
  noteConflict(batch: HandlerBatch): void {
    if (this.#isForgotten(batch)) this.#change();
  }

  /** The suspect that starts now. `isDrained`: whether nothing else is here. */
  next(isDrained: () => boolean): HandlerBatch | undefined {
    if (this.isAlone || !this.isWaiting || !(this.#hasWaitedLong || isDrained())) return undefined;
    this.#alone = this.#waiting.shift();
    this.#stopWait();
    this.#limitWait(() => this.#endAlone());
    return this.#alone;
  }

  noteAloneEnd(batch: HandlerBatch): void {
    if (this.#alone === batch) this.#endAlone();
  }

  takeAll(): HandlerBatch[] {
    this.#stopWait();
    for (const cancel of this.#lookedAt.values()) cancel();
    this.#lookedAt.clear();
    this.#most = Infinity;
    const taken = this.#waiting.splice(0);
    this.#change();
    return taken;
  }

  #endAlone(): void {
    this.#alone = undefined;
    this.#stopWait();
    if (this.isWaiting) this.#limitWait(() => (this.#hasWaitedLong = true));
    else this.#hasWaitedLong = false;
    this.#change();
  }

  #isForgotten(batch: HandlerBatch): boolean {
    this.#lookedAt.get(batch)?.();
    return this.#lookedAt.delete(batch);
  }

  #growUnlessLooking(): void {
    if (this.isWaiting || this.isAlone || this.#lookedAt.size > 0) return;
    this.#most = this.#most >= MOST_CAREFUL ? Infinity : this.#most * 2;
    this.#change();
  }

  #limitWait(then: () => void): void {
    this.#cancel ??= this.#setup.clock.setTimer(() => {
      this.#cancel = undefined;
      then();
      this.#setup.onChange();
    }, LONGEST_WAIT_MS);
  }

  #stopWait(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #change(): void {
    this.#changed.open();
    this.#setup.onChange();
  }
}

function mostReceivesOf({ held }: HandlerBatch): number {
  return Math.max(...held.map(receivesOf));
}
