import type { Parcel } from './held-message.ts';
import { Permits } from './permits.ts';

export interface InboxSetup {
  /** Calls of the handler at once. */
  readonly maxInFlight: number;
  /** Of them, of one message group. */
  readonly perGroup: number;
  /** Messages that wait for a slot, so that one that becomes free has work at once. */
  readonly ahead: number;
  /** Calls the handler. Never rejects. */
  readonly run: (parcel: Parcel) => Promise<void>;
}

/**
 * Says what runs when. Messages start in the order of their arrival, as soon as there is a slot; those of a group that has all
 * that it may have at a time wait, and the others pass by them.
 */
export class Inbox {
  readonly #setup: InboxSetup;
  readonly #waiting: Parcel[] = [];
  readonly #runningOf = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;
  /** One for each message that is received, or may be by a receive that is on its way, until it has ended. */
  readonly permits: Permits;

  constructor(setup: InboxSetup) {
    this.#setup = setup;
    this.permits = new Permits(setup.maxInFlight + setup.ahead);
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.reduce((sum, { held }) => sum + held.length, 0);
  }

  admit(parcels: readonly Parcel[]): void {
    this.#waiting.push(...parcels);
    this.#startAll();
  }

  /** Starts nothing any more. Gives what has not started. */
  close(): Parcel[] {
    this.#isClosed = true;
    const unstarted = this.#waiting.splice(0);
    for (const { held } of unstarted) this.permits.give(held.length);
    return unstarted;
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startAll(): void {
    if (this.#isClosed) return;
    const { maxInFlight, perGroup } = this.#setup;
    for (let at = 0; at < this.#waiting.length && this.#running.size < maxInFlight;) {
      const parcel = this.#waiting[at] as Parcel;
      if (parcel.group !== undefined && (this.#runningOf.get(parcel.group) ?? 0) >= perGroup) {
        at += 1;
        continue;
      }
      this.#waiting.splice(at, 1);
      this.#start(parcel);
    }
  }

  #start(parcel: Parcel): void {
    const { group, held } = parcel;
    if (group !== undefined) this.#runningOf.set(group, (this.#runningOf.get(group) ?? 0) + 1);
    const run = this.#setup.run(parcel).finally(() => {
      this.#running.delete(run);
      this.permits.give(held.length);
      if (group !== undefined) {
        const left = (this.#runningOf.get(group) ?? 1) - 1;
        if (left === 0) this.#runningOf.delete(group);
        else this.#runningOf.set(group, left);
      }
      this.#startAll();
    });
    this.#running.add(run);
  }
}
