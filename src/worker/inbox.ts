import type { Clock } from '../claims/clock.ts';
import type { Parcel } from './held-message.ts';
import { Permits } from './permits.ts';
import type { RateLimits } from './rate-limits.ts';
import { SetAside } from './set-aside.ts';

export interface InboxSetup {
  /** Calls of the handler at once, to begin with. */
  readonly limit: number;
  /** Of them, of one message group. */
  readonly perGroup: number;
  /** Messages that wait for a slot, so that one that becomes free has work at once. */
  readonly ahead: number;
  /** Messages that wait for others of their group, or for their key's rate. */
  readonly aside: number;
  /** Whether a group's messages keep their order: then one that waits for its key's rate holds its group up. */
  readonly isFifo: boolean;
  readonly clock: Clock;
  readonly rates: RateLimits | undefined;
  /** Whether anything may start now; `startAll()` is to be called when that has changed. */
  readonly mayStart: () => boolean;
  /** Calls the handler. Never rejects. */
  readonly run: (parcel: Parcel) => Promise<void>;
  /** There is no room to set this aside; its turn comes at this time. False: it cannot be handed back either. */
  readonly handBack: (parcel: Parcel, turnAt: number) => boolean;
}

/** What a call is taken to last before one has ended, in milliseconds. */
const FIRST_CALL_MS = 1_000;
/** How much the last call counts in the average. */
const SHARE_OF_LAST = 0.1;

/**
 * Says what runs when. Messages start in the order of their arrival, as soon as there is a slot. Those of a group that has all that
 * it may have at a time, and those of a key that is over its rate, are set aside: the others pass by, and none of what they wait
 * for is taken up. When they may go on they queue behind what came meanwhile.
 */
export class Inbox {
  readonly #setup: InboxSetup;
  readonly #ready: Parcel[] = [];
  readonly #aside: SetAside;
  /** Of what is set aside: what could be neither set aside nor handed back, so that less is received. */
  readonly #withPermits = new Set<Parcel>();
  /** Calls of each group, running and ready. */
  readonly #ofGroup = new Map<string, number>();
  /** Those that wait for a rate, and are counted with their group all the same. */
  readonly #counted = new Set<Parcel>();
  /** Of each key whose lane has been opened, what was let out and has not started. */
  readonly #out = new Map<string, Parcel>();
  readonly #timers = new Map<string, () => void>();
  readonly #running = new Set<Promise<void>>();
  #limit: number;
  #callMs = FIRST_CALL_MS;
  #isClosed = false;
  /** One for each message that is received, or may be by a receive that is on its way, until it has ended or is set aside. */
  readonly permits: Permits;

  constructor(setup: InboxSetup) {
    this.#setup = setup;
    this.#limit = setup.limit;
    this.#aside = new SetAside(setup.aside);
    this.permits = new Permits(setup.limit + setup.ahead);
  }

  get running(): number {
    return this.#running.size;
  }

  get waiting(): number {
    return this.#ready.reduce((sum, { held }) => sum + held.length, 0) + this.#aside.messages;
  }

  /** Of what waits: what waits for others of its group, or for its key's rate. */
  get setAside(): number {
    return this.#aside.messages;
  }

  /** There is a slot, and nothing to fill it. */
  get isHungry(): boolean {
    return this.#ready.length === 0 && this.#running.size < this.#limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.permits.resize(limit + this.#setup.ahead);
    this.startAll();
  }

  admit(parcels: readonly Parcel[]): void {
    for (const parcel of parcels) this.#place(parcel);
    this.startAll();
  }

  /** Starts nothing any more. Gives what has not started. */
  close(): Parcel[] {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const unstarted = [...this.#ready.splice(0), ...this.#withPermits];
    for (const { held } of unstarted) this.permits.give(held.length);
    const aside = this.#aside.takeAll().filter((parcel) => !this.#withPermits.has(parcel));
    return [...unstarted, ...aside];
  }

  /** Takes away what waits for others of a group. */
  takeOfGroup(group: string): Parcel[] {
    const taken = this.#aside.take(laneOfGroup(group));
    for (const parcel of taken) {
      if (this.#withPermits.delete(parcel)) this.permits.give(parcel.held.length);
    }
    return taken;
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Starts what may start. */
  startAll(): void {
    const { mayStart, rates } = this.#setup;
    while (!this.#isClosed && this.#running.size < this.#limit && mayStart()) {
      const parcel = this.#ready[0];
      if (parcel === undefined) return;
      const ms = rates?.sharedWaitMs(parcel.held.length) ?? 0;
      if (ms > 0) {
        this.#in(ms, '', () => this.startAll());
        return;
      }
      this.#ready.shift();
      const key = parcel.rateKeys && rates?.blockedBy(parcel.rateKeys);
      if (key === undefined) this.#start(parcel);
      else this.#waitForKey(key, parcel);
    }
  }

  /** `from`: the lane that it comes out of, in which it was the first. */
  #place(parcel: Parcel, from?: string): void {
    const { group, rateKeys } = parcel;
    const { perGroup } = this.#setup;
    if (group !== undefined && !this.#counted.has(parcel)) {
      const lane = laneOfGroup(group);
      const isFull = (this.#ofGroup.get(group) ?? 0) >= perGroup;
      if (isFull || (from !== lane && this.#aside.has(lane))) {
        this.#isOut(parcel);
        this.#setAside(lane, parcel, this.#callMs / perGroup);
        return;
      }
    }
    this.#count(parcel);
    for (const key of rateKeys?.keys() ?? []) {
      if (from === laneOfKey(key) || !this.#aside.has(laneOfKey(key))) continue;
      this.#waitForKey(key, parcel);
      return;
    }
    this.#ready.push(parcel);
  }

  #count(parcel: Parcel): void {
    const { group } = parcel;
    if (group === undefined || this.#counted.delete(parcel)) return;
    this.#ofGroup.set(group, (this.#ofGroup.get(group) ?? 0) + 1);
  }

  #uncount({ group }: Parcel): void {
    if (group === undefined) return;
    const left = (this.#ofGroup.get(group) ?? 1) - 1;
    if (left === 0) this.#ofGroup.delete(group);
    else this.#ofGroup.set(group, left);
    if (this.#isClosed || left >= this.#setup.perGroup) return;
    const lane = laneOfGroup(group);
    const next = this.#aside.next(lane);
    if (next !== undefined) this.#letOut(next, lane);
  }

  /** A parcel that is counted with its group. */
  #waitForKey(key: string, parcel: Parcel): void {
    const wasFirst = this.#out.get(key) === parcel;
    this.#isOut(parcel);
    if (this.#setup.isFifo) this.#counted.add(parcel);
    else this.#uncount(parcel);
    this.#setAside(laneOfKey(key), parcel, this.#setup.rates?.paceMs(key) ?? 0, wasFirst);
    this.#openLane(key);
  }

  /** Lets the first of a key's lane out when the rate allows it; the next when that has started. */
  #openLane(key: string): void {
    const lane = laneOfKey(key);
    const head = this.#aside.headOf(lane);
    if (head === undefined || this.#out.has(key)) return;
    this.#in(this.#setup.rates?.waitMs(key, head.rateKeys?.get(key) ?? 1) ?? 0, lane, () => {
      const parcel = this.#aside.next(lane);
      if (parcel === undefined) return;
      this.#out.set(key, parcel);
      this.#letOut(parcel, lane);
      this.startAll();
    });
  }

  #letOut(parcel: Parcel, lane: string): void {
    if (!this.#withPermits.delete(parcel)) this.permits.takeAnyway(parcel.held.length);
    this.#place(parcel, lane);
  }

  /** It has started, or waits for another key now: the lanes that let it out go on. */
  #isOut(parcel: Parcel): void {
    for (const key of parcel.rateKeys?.keys() ?? []) {
      if (this.#out.get(key) === parcel) this.#out.delete(key);
      this.#openLane(key);
    }
  }

  #setAside(lane: string, parcel: Parcel, paceMs: number, first = false): void {
    const { clock, handBack } = this.#setup;
    if (this.#aside.hasRoomFor(parcel)) {
      this.permits.give(parcel.held.length);
    } else if (handBack(parcel, this.#aside.turnOf(lane, paceMs, clock.now()))) {
      this.permits.give(parcel.held.length);
      return;
    } else {
      this.#withPermits.add(parcel);
    }
    this.#aside.add(lane, parcel, first);
  }

  /** One timer at a time for each name. */
  #in(ms: number, name: string, then: () => void): void {
    if (this.#timers.has(name)) return;
    const cancel = this.#setup.clock.setTimer(() => {
      this.#timers.delete(name);
      then();
    }, ms);
    this.#timers.set(name, cancel);
  }

  #start(parcel: Parcel): void {
    const { rates, run, clock } = this.#setup;
    const { held, rateKeys } = parcel;
    rates?.take(held.length, rateKeys);
    this.#isOut(parcel);
    const startedAt = clock.now();
    const running = run(parcel).finally(() => {
      this.#running.delete(running);
      this.#callMs += (Math.max(clock.now() - startedAt, 0) - this.#callMs) * SHARE_OF_LAST;
      this.permits.give(held.length);
      this.#uncount(parcel);
      this.startAll();
    });
    this.#running.add(running);
  }
}

function laneOfGroup(group: string): string {
  return `group:${group}`;
}

function laneOfKey(key: string): string {
  return `key:${key}`;
}
