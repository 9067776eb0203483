import type { Clock } from '../claims/clock.ts';
import type { Parcel } from './held-message.ts';
import { Permits } from './permits.ts';
import type { RateLimits } from './rate-limits.ts';
import { SetAside } from './set-aside.ts';
import { Suspects } from './suspects.ts';

/** How many messages a call of the handler gets. */
export interface Batch {
  /** Messages in one call. */
  readonly size: number;
  /** How long the first of them waits for others, in milliseconds, from when it was received. */
  readonly windowMs: number;
}

export interface InboxSetup {
  /** Parcels in calls of the handler at once, to begin with. */
  readonly limit: number;
  /** Undefined: the next call gets one parcel. */
  readonly batch: () => Batch | undefined;
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
  /** Calls the handler. Gives the parcels that are to run again, each by the one that it is what is left of. Never rejects. */
  readonly run: (call: Call) => Promise<ReadonlyMap<Parcel, Parcel>>;
  /** There is no room to set this aside; its turn comes at this time. False: it cannot be handed back either. */
  readonly handBack: (parcel: Parcel, turnAt: number) => boolean;
}

/** One call of the handler. */
export interface Call {
  readonly parcels: readonly Parcel[];
  /** Nothing else runs: suspects may. */
  readonly isAlone: boolean;
}

/** What a call is taken to last before one has ended, in milliseconds. */
const FIRST_CALL_MS = 1_000;
/** How much the last call counts in the average. */
const SHARE_OF_LAST = 0.1;

/**
 * Says what runs when. Messages start in the order of their arrival, as soon as there is a slot. Those of a group that has all that
 * it may have at a time, those of a key that is over its rate, and those whose key another owner holds are set aside: the others pass
 * by, and none of what they wait for is taken up. When they may go on they queue behind what came meanwhile. Suspects wait until
 * nothing else is here.
 */
export class Inbox {
  readonly #setup: InboxSetup;
  readonly #ready: Parcel[] = [];
  readonly #aside: SetAside;
  /** Of what is set aside: what could be neither set aside nor handed back, so that less is received. */
  readonly #withPermits = new Set<Parcel>();
  /** Calls of each group, running and ready. */
  readonly #ofGroup = new Map<string, number>();
  /** Those that wait for a rate, a lease or their turn alone, and are counted with their group all the same. */
  readonly #counted = new Set<Parcel>();
  /** Of each key whose lane has been opened, what was let out and has not started. */
  readonly #out = new Map<string, Parcel>();
  readonly #timers = new Map<string, () => void>();
  readonly #running = new Set<Promise<void>>();
  #limit: number;
  #callMs = FIRST_CALL_MS;
  #isClosed = false;
  /** What has been collected for a call waits for no more. */
  #isFlushing = false;
  #runningParcels = 0;
  #leases = 0;
  #isWatchingPermits = false;
  readonly suspects: Suspects;
  /** One for each message that is received, or may be by a receive that is on its way, until it has ended or is set aside. */
  readonly permits: Permits;

  constructor(setup: InboxSetup) {
    this.#setup = setup;
    this.#limit = setup.limit;
    this.#aside = new SetAside(setup.aside);
    this.permits = new Permits(setup.limit + setup.ahead);
    this.suspects = new Suspects({ clock: setup.clock, onChange: () => this.#onSuspects() });
  }

  /** Parcels in calls of the handler. */
  get running(): number {
    return this.#runningParcels;
  }

  get waiting(): number {
    const ready = this.#ready.reduce((sum, { held }) => sum + held.length, 0);
    return ready + this.#aside.messages + this.suspects.messages;
  }

  /** Of what waits: what waits for others of its group, for its key's rate, or for a lease to end. */
  get setAside(): number {
    return this.#aside.messages;
  }

  /** There is a slot, and nothing to fill it. */
  get isHungry(): boolean {
    return this.#ready.length === 0 && this.#runningParcels < this.#limit;
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
    this.suspects.look(parcels);
    for (const parcel of parcels) this.#place(parcel);
    this.startAll();
  }

  /** Starts nothing any more. Gives what has not started; when nothing runs any more, also what was left of calls. */
  close(): Parcel[] {
    this.#isFlushing = true;
    this.startAll();
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    const unstarted = [...this.#ready.splice(0), ...this.#withPermits];
    for (const { held } of unstarted) this.permits.give(held.length);
    const aside = this.#aside.takeAll().filter((parcel) => !this.#withPermits.has(parcel));
    return [...unstarted, ...aside, ...this.suspects.takeAll()];
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
    while (this.#mayStart && !this.suspects.isAlone && this.#runningParcels < this.#limit) {
      const parcels = this.#nextCall();
      if (parcels === undefined) break;
      const starting = parcels.filter((parcel) => this.#takeRates(parcel));
      if (starting.length > 0) this.#start({ parcels: starting, isAlone: false });
    }
    this.#startSuspect();
  }

  get #mayStart(): boolean {
    return !this.#isClosed && this.#setup.mayStart();
  }

  /** Takes away what the next call gets; undefined: there is nothing, or it has to wait. */
  #nextCall(): Parcel[] | undefined {
    const { rates, clock } = this.#setup;
    const batch = this.#setup.batch();
    const [first] = this.#ready;
    if (first === undefined) return undefined;
    const { parcels, messages, isFull } = this.#collected(batch?.size ?? 1);
    const dueInMs = (first.held[0]?.receivedAt ?? 0) + (batch?.windowMs ?? 0) - clock.now();
    if (!isFull && dueInMs > 0 && !this.#isFlushing) {
      this.#in(dueInMs, 'batch', () => this.startAll());
      return undefined;
    }
    if (parcels > this.#limit - this.#runningParcels) return undefined;
    const ms = rates?.sharedWaitMs(messages) ?? 0;
    if (ms > 0) {
      this.#in(ms, '', () => this.startAll());
      return undefined;
    }
    return this.#ready.splice(0, parcels);
  }

  /** How many of those that are ready make a call. */
  #collected(size: number): {
    readonly parcels: number;
    readonly messages: number;
    readonly isFull: boolean;
  } {
    let messages = 0;
    let parcels = 0;
    for (const { held } of this.#ready) {
      const isFull = messages >= size || parcels >= this.#limit;
      if (parcels > 0 && (isFull || messages + held.length > size))
        return { parcels, messages, isFull: true };
      messages += held.length;
      parcels += 1;
    }
    return { parcels, messages, isFull: messages >= size || parcels >= this.#limit };
  }

  /** False: the rate of a key holds it back. */
  #takeRates(parcel: Parcel): boolean {
    const { rates } = this.#setup;
    const key = parcel.rateKeys && rates?.blockedBy(parcel.rateKeys);
    if (key !== undefined) {
      this.#waitForKey(key, parcel);
      return false;
    }
    rates?.take(parcel.held.length, parcel.rateKeys);
    return true;
  }

  /** Rates have counted it already. */
  #startSuspect(): void {
    if (!this.#mayStart || this.#isFlushing || !this.suspects.isWaiting) return;
    const suspect = this.suspects.next(() => this.permits.areAllFree && !this.#aside.hasLaneOf(KEY));
    if (suspect === undefined) {
      this.#watchPermits();
      return;
    }
    this.permits.takeAnyway(suspect.held.length);
    this.#count(suspect);
    this.#start({ parcels: [suspect], isAlone: true });
  }

  #onSuspects(): void {
    if (this.#isClosed) return;
    this.permits.wakeAll();
    this.startAll();
  }

  /** A receive that was on its way may have brought nothing. */
  #watchPermits(): void {
    if (this.#isWatchingPermits) return;
    this.#isWatchingPermits = true;
    void this.permits.changed().then(() => {
      this.#isWatchingPermits = false;
      this.#startSuspect();
    });
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
        this.#setAside(lane, parcel, this.#turnIn(lane, this.#callMs / perGroup));
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
    const lane = laneOfKey(key);
    this.#setAside(lane, parcel, this.#turnIn(lane, this.#setup.rates?.paceMs(key) ?? 0), wasFirst);
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

  /** `turnAt`: asked for where there is no room. False: it has been handed back. */
  #setAside(lane: string, parcel: Parcel, turnAt: () => number, first = false): boolean {
    if (this.#aside.hasRoomFor(parcel)) {
      this.permits.give(parcel.held.length);
    } else if (!this.#isClosed && this.#setup.handBack(parcel, turnAt())) {
      this.permits.give(parcel.held.length);
      return false;
    } else {
      this.#withPermits.add(parcel);
    }
    this.#aside.add(lane, parcel, first);
    return true;
  }

  #turnIn(lane: string, paceMs: number): () => number {
    return () => this.#aside.turnOf(lane, paceMs, this.#setup.clock.now());
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

  #start(call: Call): void {
    const { run, clock } = this.#setup;
    for (const parcel of call.parcels) this.#isOut(parcel);
    this.#runningParcels += call.parcels.length;
    const startedAt = clock.now();
    const running = run(call).then((again) => {
      this.#running.delete(running);
      this.#runningParcels -= call.parcels.length;
      if (again.size === 0) {
        this.#callMs += (Math.max(clock.now() - startedAt, 0) - this.#callMs) * SHARE_OF_LAST;
      }
      for (const parcel of call.parcels) this.#end(parcel, again.get(parcel));
      for (const parcel of call.parcels) this.suspects.noteAloneEnd(parcel);
      this.startAll();
    });
    this.#running.add(running);
  }

  /** `left`: what of it is to run again. */
  #end(parcel: Parcel, left: Parcel | undefined): void {
    if (left !== undefined && this.#setup.isFifo) this.#counted.add(left); // the others of its group wait behind it
    else this.#uncount(parcel);
    this.permits.give(parcel.held.length - (left?.held.length ?? 0));
    if (left === undefined) {
      this.suspects.noteEnd(parcel);
    } else if (left.deaths !== undefined) {
      this.permits.give(left.held.length);
      this.suspects.add(left, parcel);
    } else if ((left.startsAt ?? 0) <= this.#setup.clock.now()) {
      this.#place(left);
    } else {
      this.#waitForLease(left);
      this.suspects.noteConflict(parcel);
    }
  }

  #waitForLease(parcel: Parcel): void {
    const { clock } = this.#setup;
    const { startsAt = 0 } = parcel;
    const lane = `lease:${(this.#leases += 1)}`;
    if (!this.#setAside(lane, parcel, () => startsAt) || this.#isClosed) return;
    this.#in(startsAt - clock.now(), lane, () => {
      const next = this.#aside.next(lane);
      if (next === undefined) return;
      this.#letOut(next, lane);
      this.startAll();
    });
  }
}

function laneOfGroup(group: string): string {
  return `group:${group}`;
}

const KEY = 'key:';

function laneOfKey(key: string): string {
  return `${KEY}${key}`;
}
