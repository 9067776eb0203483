import type { Clock } from '../base/clock.ts';
import { Gate } from './gate.ts';
import { type HandlerBatch, messagesIn, receivesOf } from './held-message.ts';

export interface SuspectsSetup {
  readonly clock: Clock;
  /** Called when more may be received or started. */
  readonly onChange: () => void;
}

/** Bounds how long suspects wait for the others, and the others for a suspect: a handler may never end. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** The largest receive while suspects may be among the messages. */
const MOST_CAREFUL = 8;
/** How long a call may take to report a suspect. By then it has requested its claim. */
const LONGEST_LOOK_MS = 1_000;

/**
 * Suspects: messages whose last attempt died with its process. Nobody knows whether they killed it or ran
 * beside the killer. Each runs alone, because all messages of a process that dies lose a receive. Suspects
 * with the fewest deaths run first, so the killer runs when the others are done.
 *
 * | mode | begins | is received | starts |
 * |---|---|---|---|
 * | careful | start; the last suspect has ended | one message, then 2, 4, 8, while no suspect is found |
 * everything |
 * | open | a receive of new messages only, or 8 without a suspect | as much as there is room for |
 * everything |
 * | draining | a call has reported a suspect | nothing | everything but suspects |
 * | alone | nothing else is here, or the wait was too long | nothing | one suspect |
 */
export class Suspects {
  readonly #setup: SuspectsSetup;
  readonly #waiting: HandlerBatch[] = [];
  /** Redelivered messages whose calls may still report them. */
  readonly #lookedAt = new Map<HandlerBatch, () => void>();
  /** The limit of the next receive. Below ten: careful. */
  #most = 1;
  #alone: HandlerBatch | undefined;
  #hasWaitedLong = false;
  #isClosed = false;
  #cancel: (() => void) | undefined;
  readonly #changed = new Gate();

  constructor(setup: SuspectsSetup) {
    this.#setup = setup;
  }

  get messages(): number {
    return messagesIn(this.#waiting);
  }

  get isAlone(): boolean {
    return this.#alone !== undefined;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Returns the limit of the next receive, or a promise that resolves when receiving may go on. */
  mayReceive(): number | Promise<void> {
    return this.isAlone || this.isWaiting || this.#lookedAt.size > 0 ? this.#changed.opened() : this.#most;
  }

  /** Checks received messages before they start. */
  look(batches: readonly HandlerBatch[]): void {
    if (this.#most === Infinity || this.isWaiting || this.isAlone) return;
    const again = batches.filter((batch) => mostReceivesOf(batch) > 1);
    if (again.length === 0) this.#most = Infinity; // none was in a process that died
    for (const batch of again) {
      const cancel = this.#setup.clock.setTimer(() => this.noteEnd(batch), LONGEST_LOOK_MS);
      this.#lookedAt.set(batch, cancel);
    }
    if (again.length === 0) this.#change();
  }

  /** Ends the check of a batch whose call has ended or taken too long without a report. */
  noteEnd(batch: HandlerBatch): void {
    if (this.#isForgotten(batch)) this.#growUnlessLooking();
  }

  /** Queues a suspect that the call of `from` has reported. */
  add(suspect: HandlerBatch, from: HandlerBatch): void {
    this.#isForgotten(from);
    this.#most = 1;
    this.#waiting.push(suspect);
    // With equal deaths, the message nearer to the dead-letter queue comes first.
    this.#waiting.sort((a, b) => (a.deaths ?? 0) - (b.deaths ?? 0) || mostReceivesOf(b) - mostReceivesOf(a));
    this.#limitWait(() => (this.#hasWaitedLong = true));
  }

  /** Ends the check of a batch whose key another owner holds. */
  noteConflict(batch: HandlerBatch): void {
    if (this.#isForgotten(batch)) this.#change();
  }

  /** Returns the suspect to start now. `isDrained`: whether nothing else is here. */
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

  /** Returns the suspects that have not started, when nothing more starts. */
  takeAll(): HandlerBatch[] {
    this.#isClosed = true;
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
    if (this.#isClosed) return;
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
