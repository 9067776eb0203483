import type { PlannedRecord } from './plan.ts';
import { EqualRecords, isClaimedAhead } from './schedule-parts.ts';
import type { AheadOfTurns, Order, Step, TurnEnd } from './step.ts';

const WAITS = 0; // an earlier record of its lane is not acknowledged yet
const IN_TURN = 1; // may run
const LEFT = 2; // has told the records behind it how it ended
const PUT_OFF = 3; // runs last and alone, or is left

/**
 * Decides the next step: which records are claimed together, whose turn it is, and which follow another. It
 * knows no store, no handler and no time. All lanes run side by side first, each in order. Put-off records
 * then run one at a time, in the order of the batch, so each comes after the records it waits for.
 */
export class Schedule {
  readonly #records: readonly PlannedRecord[];
  readonly #order: Order;
  readonly #turns: Uint8Array;
  readonly #ahead: AheadOfTurns;
  readonly #equals = new EqualRecords();
  readonly #nextInLane: (PlannedRecord | undefined)[] = [];
  /** Lanes with an unacknowledged record, while records run one at a time. */
  readonly #blockedLanes = new Set<string>();
  readonly #steps: Step[] = [];
  /** The number of records that have something pending, not counting put-off ones at rest. */
  #open: number;
  readonly #putOff: PlannedRecord[];
  #isAlone: boolean;
  #isStopped = false;

  constructor(records: readonly PlannedRecord[], order: Order) {
    this.#records = records;
    this.#order = order;
    this.#turns = new Uint8Array(records.length).fill(order.isAlone ? PUT_OFF : WAITS);
    this.#ahead = order.ahead;
    this.#open = order.isAlone ? 0 : records.length;
    this.#putOff = order.isAlone ? [...records] : [];
    this.#isAlone = order.isAlone;
    if (!order.isAlone) this.#enterLanes();
  }

  /** Returns the next step; undefined if nothing can be done until something ends. */
  next(): Step | undefined {
    const step = this.#steps.shift();
    if (step !== undefined) return step;
    const group = this.#isStopped || this.#isAlone ? undefined : this.#ahead.nextGroup();
    if (group !== undefined) return { do: 'claim', group };
    return this.#open === 0 && this.#enterAlone() ? this.next() : undefined;
  }

  get isDone(): boolean {
    return this.#open === 0 && this.#putOff.length === 0;
  }

  get isAlone(): boolean {
    return this.#isAlone;
  }

  isInTurn({ index }: PlannedRecord): boolean {
    return this.#turns[index] === IN_TURN;
  }

  /** Makes room for another claim ahead: this record has ended or does not need its claim. */
  makeRoom(record: PlannedRecord): void {
    this.#ahead.makeRoom(record);
  }

  /** Continues the records that wait for this one because they have its key. */
  noteEnd(record: PlannedRecord, end: TurnEnd): void {
    const waiters = this.#equals.noteEnd(record, end);
    if (waiters === undefined) return;
    for (const waiter of waiters) if (this.isInTurn(waiter)) this.#enter(waiter);
  }

  /** Ends a record with nothing pending. Its lane continues, or the records behind it are withdrawn. */
  leave(record: PlannedRecord, isAcknowledged: boolean): void {
    if (this.#turns[record.index] === LEFT) return;
    this.#turns[record.index] = LEFT;
    this.#open -= 1;
    if (this.#isAlone) {
      if (record.lane !== undefined && !isAcknowledged) this.#blockedLanes.add(record.lane);
      return;
    }
    const next = this.#nextInLane[record.index];
    if (next === undefined || this.#turns[next.index] !== WAITS) return;
    // rule: lane-stops
    if (isAcknowledged) this.#enter(next);
    else this.#withdrawFrom(next, 'order');
  }

  /** Puts off a record and those behind it to run last and alone. Call `rest` once its claim is released. */
  putOff(record: PlannedRecord): void {
    if (this.#turns[record.index] === PUT_OFF) return;
    this.#turns[record.index] = PUT_OFF;
    this.#putOff.push(record);
    this.noteEnd(record, 'put-off');
    const next = this.#nextInLane[record.index];
    if (next !== undefined && this.#turns[next.index] === WAITS) this.#withdrawFrom(next, 'put-off');
  }

  /** Notes that a put-off record has nothing pending until its turn. */
  rest(): void {
    this.#open -= 1;
  }

  /** Claims nothing more. Turns still come, so that every record learns that it will not run. */
  stop(): void {
    this.#isStopped = true;
    if (this.#isAlone) return; // nothing is claimed ahead, and the one record in turn runs
    for (const record of this.#records)
      if (this.isInTurn(record) && this.#ahead.isUnasked(record) && isClaimedAhead(record))
        this.#enter(record);
  }

  #enterLanes(): void {
    const lasts = new Map<string, PlannedRecord>();
    for (const record of this.#records) {
      const { lane } = record;
      const before = lane === undefined ? undefined : lasts.get(lane);
      if (lane !== undefined) lasts.set(lane, record);
      if (before === undefined) this.#enter(record);
      else this.#nextInLane[before.index] = record;
    }
  }

  /** Starts the turn of a record, as far as its lane allows. */
  #enter(record: PlannedRecord): void {
    const { index, outcome, leader, behind } = record;
    this.#turns[index] = IN_TURN;
    if (outcome !== undefined) return this.#add({ do: 'pass', record });
    // rule: equal-keys-run-once
    const first = leader === undefined ? undefined : this.#equals.firstOf(record, leader);
    const before = first ?? behind;
    if (before !== undefined) {
      const end = this.#equals.endOf(before);
      if (end === undefined) return this.#equals.wait(record, before);
      if (end === 'put-off') return this.#add({ do: 'withdraw', record, why: 'put-off' });
      if (first !== undefined) return this.#add({ do: 'follow', record, leader: first });
    }
    const isClaimedNow = this.#isAlone || !isClaimedAhead(record);
    if (!isClaimedNow && !this.#ahead.isUnasked(record)) this.#add({ do: 'run', record });
    else if (this.#isStopped) this.#add({ do: 'drop', record, why: 'deadline' });
    else if (isClaimedNow) this.#add({ do: 'claim', group: [record] });
  }

  #withdrawFrom(first: PlannedRecord, why: 'order' | 'put-off'): void {
    let record: PlannedRecord | undefined = first;
    for (; record !== undefined; record = this.#nextInLane[record.index]) {
      this.#turns[record.index] = IN_TURN;
      if (this.#ahead.isUnasked(record)) this.#ahead.makeRoom(record); // it will not be requested
      this.#add({ do: 'withdraw', record, why });
    }
  }

  /** Starts the turn of the next put-off record. Returns false if there is none. */
  #enterAlone(): boolean {
    if (!this.#isAlone) this.#putOff.sort((one, other) => one.index - other.index);
    this.#isAlone = true;
    let record = this.#putOff.shift();
    // Its claim was lost while it was being released. In a loop, because there may be thousands.
    while (record !== undefined && this.#turns[record.index] === LEFT) {
      if (record.lane !== undefined) this.#blockedLanes.add(record.lane);
      record = this.#putOff.shift();
    }
    if (record === undefined) return false;
    const { index, lane } = record;
    const isBehind = lane !== undefined && this.#blockedLanes.has(lane);
    const { leavesPutOff } = this.#order;
    if (lane !== undefined && leavesPutOff) this.#blockedLanes.add(lane);
    this.#open += 1;
    this.#turns[index] = IN_TURN;
    if (isBehind) this.#add({ do: 'drop', record, why: 'order' });
    else if (leavesPutOff) this.#add({ do: 'drop', record, why: 'suspect' });
    else this.#enter(record);
    return true;
  }

  #add(step: Step): void {
    this.#steps.push(step);
  }
}
