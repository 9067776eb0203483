import { GroupCounts } from './group-counts.ts';
import type { HandlerBatch } from './held-message.ts';
import type { Call, SchedulerSetup } from './scheduler-setup.ts';
import { Permits } from './permits.ts';
import { ReadyBatches } from './ready-batches.ts';
import { keysAfter, laneOfGroup, laneOfKey, WaitingLanes } from './waiting-lanes.ts';
import { Suspects } from './suspects.ts';
import { Timers } from './timers.ts';

/** The assumed duration of a call before the first has ended, in milliseconds. */
const FIRST_CALL_MS = 1_000;
/** The weight of the last call in the moving average. */
const SHARE_OF_LAST = 0.1;

/**
 * Decides which messages start. They start in order of arrival, as soon as there is a slot. Messages whose
 * group is full, whose key is over its rate or whose key another owner holds are set aside, and the others
 * pass them. When they may go on, they join the end of the queue. Suspects wait until nothing else is here.
 */
export class Scheduler {
  readonly #setup: SchedulerSetup;
  readonly #ready = new ReadyBatches();
  readonly #aside: WaitingLanes;
  /** Batches that could neither be set aside nor handed back. They keep their permits. */
  readonly #withPermits = new Set<HandlerBatch>();
  readonly #groups: GroupCounts;
  /** For each key with an open lane, the batch that has left it and not started. */
  readonly #out = new Map<string, HandlerBatch>();
  readonly #leaving: { readonly batch: HandlerBatch; readonly lane: string }[] = [];
  readonly #timers: Timers;
  readonly #running = new Set<Promise<void>>();
  #limit: number;
  #callMs = FIRST_CALL_MS;
  #isClosed = false;
  /** Whether calls start without waiting for more messages. */
  #isFlushing = false;
  #runningBatches = 0;
  readonly suspects: Suspects;
  /** A permit for each message from its receive request until it has ended or is set aside. */
  readonly permits: Permits;

  constructor(setup: SchedulerSetup) {
    this.#setup = setup;
    this.#limit = setup.limit;
    this.#aside = new WaitingLanes(setup.aside);
    this.#groups = new GroupCounts(setup.perGroup);
    this.#timers = new Timers(setup.clock);
    this.permits = new Permits(setup.limit + setup.ahead, () => this.#startSuspect());
    this.suspects = new Suspects({ clock: setup.clock, onChange: () => this.#onSuspects() });
  }

  get running(): number {
    return this.#runningBatches;
  }

  get waiting(): number {
    return this.#ready.messages + this.#aside.messages + this.suspects.messages;
  }

  /** Messages of `waiting` that wait for their group, their key's rate or the end of a lease. */
  get setAside(): number {
    return this.#aside.messages;
  }

  /** Whether a slot is idle. */
  get isHungry(): boolean {
    return this.#ready.isEmpty && this.#runningBatches < this.#limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.permits.resize(limit + this.#setup.ahead);
    this.startAll();
  }

  admit(batches: readonly HandlerBatch[]): void {
    this.suspects.look(batches);
    for (const batch of batches) this.#place(batch);
    this.startAll();
  }

  /** Starts nothing more, and returns unstarted batches. Called again when nothing runs, the rest. */
  close(): HandlerBatch[] {
    this.#isFlushing = true;
    this.startAll();
    this.#isClosed = true;
    this.#timers.cancelAll();
    const unstarted = [...this.#ready.take(), ...this.#withPermits];
    for (const { held } of unstarted) this.permits.give(held.length);
    const aside = this.#aside.takeAll().filter((batch) => !this.#withPermits.has(batch));
    this.#withPermits.clear();
    return [...unstarted, ...aside, ...this.suspects.takeAll()];
  }

  takeOfGroup(group: string): HandlerBatch[] {
    const taken = this.#aside.take(laneOfGroup(group));
    for (const batch of taken) {
      if (this.#withPermits.delete(batch)) this.permits.give(batch.held.length);
    }
    return taken;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  startAll(): void {
    while (this.#mayStart() && !this.suspects.isAlone && this.#runningBatches < this.#limit) {
      const batches = this.#nextCall();
      if (batches === undefined) break;
      const starting = batches.filter((batch) => this.#takeRates(batch));
      if (starting.length > 0) this.#start({ batches: starting, isAlone: false });
    }
    this.#startSuspect();
  }

  /** Takes the batches of the next call; undefined if there are none or they must wait. */
  #nextCall(): HandlerBatch[] | undefined {
    const { rates, clock, callSize } = this.#setup;
    const next = this.#ready.next(callSize(), this.#limit, clock.now());
    if (next === undefined || next.batches > this.#limit - this.#runningBatches) return undefined;
    const dueInMs = this.#isFlushing ? 0 : next.dueInMs;
    const ms = Math.max(dueInMs, rates?.sharedWaitMs(next.messages) ?? 0);
    if (ms <= 0) return this.#ready.take(next.batches);
    this.#timers.in(ms, dueInMs === ms ? 'batch' : 'rate', () => this.startAll());
    return undefined;
  }

  /** Takes the batch's tokens, or makes it wait for the rate of a key and returns false. */
  #takeRates(batch: HandlerBatch): boolean {
    const { rates } = this.#setup;
    const key = batch.rateKeys && rates?.blockedBy(batch.rateKeys);
    if (key !== undefined) {
      this.#waitForKey(key, batch);
      return false;
    }
    rates?.take(batch.held.length, batch.rateKeys);
    return true;
  }

  /** Starts a suspect if nothing else is here. The rates have counted it already. */
  #startSuspect(): void {
    if (!this.#mayStart() || this.#isFlushing || !this.suspects.isWaiting) return;
    const suspect = this.suspects.next(() => this.permits.areAllFree && !this.#aside.hasKeys);
    if (suspect === undefined) return;
    this.permits.takeAnyway(suspect.held.length);
    this.#groups.add(suspect);
    this.#start({ batches: [suspect], isAlone: true });
  }

  #mayStart(): boolean {
    return !this.#isClosed && this.#setup.mayStart();
  }

  #onSuspects(): void {
    if (this.#isClosed) return;
    this.permits.wakeAll();
    this.startAll();
  }

  /** Queues a batch, or sets it aside. `from`: the lane that it was first in. */
  #place(batch: HandlerBatch, from?: string): void {
    const { group, rateKeys } = batch;
    if (group !== undefined && !this.#groups.isKept(batch)) {
      const lane = laneOfGroup(group);
      if (this.#groups.isFull(group) || (from !== lane && this.#aside.has(lane))) {
        this.#isOut(batch);
        this.#setAside(lane, batch, this.#turnIn(lane, this.#callMs / this.#setup.perGroup));
        return;
      }
    }
    this.#groups.add(batch);
    const key = keysAfter(from, rateKeys?.keys() ?? []).find((one) => this.#aside.has(laneOfKey(one)));
    if (key !== undefined) return this.#waitForKey(key, batch);
    this.#ready.add(batch);
  }

  /** Gives up the batch's place in its group. Returns the next one, which `#letOut` must place. */
  #uncount(batch: HandlerBatch): HandlerBatch | undefined {
    const { group } = batch;
    this.#groups.remove(batch);
    const mayGoOn = group !== undefined && !this.#isClosed && !this.#groups.isFull(group);
    return mayGoOn ? this.#takeOut(laneOfGroup(group)) : undefined;
  }

  /** Sets a batch aside that its group has counted. */
  #waitForKey(key: string, batch: HandlerBatch): void {
    const lane = laneOfKey(key);
    const wasFirst = this.#out.get(key) === batch;
    if (this.#setup.isFifo) this.#groups.keep(batch);
    const next = this.#setup.isFifo ? undefined : this.#uncount(batch);
    this.#setAside(lane, batch, this.#turnIn(lane, this.#setup.rates?.paceMs(key) ?? 0), wasFirst);
    // Only now: the lane waits for its first batch, and the next of the group may wait behind this one.
    this.#isOut(batch);
    this.#letOut(next, laneOfGroup(batch.group ?? ''));
  }

  /** Lets a lane's first batch out when the rate allows it, and the next when that has started. */
  #openLane(key: string): void {
    const lane = laneOfKey(key);
    const head = this.#aside.headOf(lane);
    if (head === undefined || this.#out.has(key)) return;
    this.#timers.in(this.#setup.rates?.waitMs(key, head.rateKeys?.get(key) ?? 1) ?? 0, lane, () => {
      const batch = this.#takeOut(lane);
      if (batch === undefined) return;
      this.#out.set(key, batch);
      this.#letOut(batch, lane);
      this.startAll();
    });
  }

  /** Takes the first batch out of a lane, with permits. Call `#letOut` for it. */
  #takeOut(lane: string): HandlerBatch | undefined {
    const batch = this.#aside.next(lane);
    if (batch !== undefined && !this.#withPermits.delete(batch)) this.permits.takeAnyway(batch.held.length);
    return batch;
  }

  /** Places a batch. In a loop: it may wait for its key and let out the next of its group, of thousands. */
  #letOut(batch: HandlerBatch | undefined, lane: string): void {
    if (batch === undefined || this.#leaving.push({ batch, lane }) > 1) return;
    for (const next of this.#leaving) this.#place(next.batch, next.lane);
    this.#leaving.length = 0;
  }

  /** Lets the lanes go on that this batch has left. */
  #isOut(batch: HandlerBatch): void {
    for (const key of batch.rateKeys?.keys() ?? []) {
      if (this.#out.get(key) === batch) this.#out.delete(key);
      this.#openLane(key);
    }
  }

  /** Returns false if there was no room and the batch was handed back until `turnAt`. */
  #setAside(lane: string, batch: HandlerBatch, turnAt: () => number, first = false): boolean {
    if (this.#aside.hasRoomFor(batch)) {
      this.permits.give(batch.held.length);
    } else if (!this.#isClosed && this.#setup.handBack(batch, turnAt())) {
      this.permits.give(batch.held.length);
      return false;
    } else {
      this.#withPermits.add(batch);
    }
    this.#aside.add(lane, batch, first);
    return true;
  }

  #turnIn(lane: string, paceMs: number): () => number {
    return () => this.#aside.turnOf(lane, paceMs, this.#setup.clock.now());
  }

  #start(call: Call): void {
    const { run, clock } = this.#setup;
    for (const batch of call.batches) this.#isOut(batch);
    this.#runningBatches += call.batches.length;
    const startedAt = clock.now();
    const running = run(call).then((again) => {
      this.#running.delete(running);
      this.#runningBatches -= call.batches.length;
      if (again.size === 0) {
        this.#callMs += (Math.max(clock.now() - startedAt, 0) - this.#callMs) * SHARE_OF_LAST;
      }
      for (const batch of call.batches) this.#end(batch, again.get(batch));
      this.startAll();
    });
    this.#running.add(running);
  }

  #end(batch: HandlerBatch, left: HandlerBatch | undefined): void {
    if (left !== undefined && this.#setup.isFifo) this.#groups.keep(left); // its group waits behind it
    else this.#letOut(this.#uncount(batch), laneOfGroup(batch.group ?? ''));
    this.permits.give(batch.held.length - (left?.held.length ?? 0));
    if (left === undefined) {
      this.suspects.noteEnd(batch);
    } else if (left.deaths !== undefined) {
      this.suspects.add(left, batch);
      this.permits.give(left.held.length);
    } else if ((left.startsAt ?? 0) <= this.#setup.clock.now()) {
      this.#place(left);
    } else {
      this.#waitForLease(left);
      this.suspects.noteConflict(batch);
    }
    this.suspects.noteAloneEnd(batch);
  }

  #waitForLease(batch: HandlerBatch): void {
    const { startsAt = 0 } = batch;
    const lane = this.#aside.newLane();
    if (!this.#setAside(lane, batch, () => startsAt) || this.#isClosed) return;
    this.#timers.in(startsAt - this.#setup.clock.now(), lane, () => {
      this.#letOut(this.#takeOut(lane), lane);
      this.startAll();
    });
  }
}
