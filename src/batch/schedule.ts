import type { PlannedRecord } from './plan.ts';
import { ClaimsAhead, EqualRecords, isClaimedAhead } from './schedule-parts.ts';
import type { Order, Step, TurnEnd } from './step.ts';

const WAITS = 0; // a record before it in its lane is not yet acknowledged
const IN_TURN = 1; // it may run
const LEFT = 2; // the records behind it know what became of it
const PUT_OFF = 3; // it runs last, alone, or is left

/**
 * Says what is done next: which records are claimed together, whose turn it is, who follows whom. It only counts, and knows no
 * store, no handler and no time. First all lanes run side by side, each in its order; then what was put off, one record at a
 * time, in the batch's order, so that each comes after the records that it waits for.
 */
export class Schedule {
  readonly #records: readonly PlannedRecord[];
  readonly #order: Order;
  readonly #turns: Uint8Array;
  readonly #ahead: ClaimsAhead;
  readonly #equals = new EqualRecords();
  readonly #nextInLane: (PlannedRecord | undefined)[] = [];
  /** Where a record was not acknowledged, while records run one at a time. */
  readonly #blockedLanes = new Set<string>();
  readonly #steps: Step[] = [];
  /** Records of which something is on its way, or will be before those that were put off. */
  #open: number;
  readonly #putOff: PlannedRecord[];
  #isAlone: boolean;
  #isStopped = false;

  constructor(records: readonly PlannedRecord[], order: Order) {
    this.#records = records;
    this.#order = order;
    this.#turns = new Uint8Array(records.length).fill(order.isAlone ? PUT_OFF : WAITS);
    this.#ahead = new ClaimsAhead(records, order.reach);
    this.#open = order.isAlone ? 0 : records.length;
    this.#putOff = order.isAlone ? [...records] : [];
    this.#isAlone = order.isAlone;
    if (!order.isAlone) this.#enterLanes();
  }

  /** Undefined: until something ends. */
  next(): Step | undefined {
    const step = this.#steps.shift();
    if (step !== undefined) return step;
    const group = this.#isStopped || this.#isAlone ? undefined : this.#ahead.nextGroup();
    if (group !== undefined) return { do: 'claim', group };
    return this.#open === 0 && this.#enterAlone() ? this.next() : undefined;
  }

  /** Whether nothing of any record is on its way any more. */
  get isDone(): boolean {
    return this.#open === 0 && this.#putOff.length === 0;
  }

  /** Whether records run one at a time now. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  isInTurn({ index }: PlannedRecord): boolean {
    return this.#turns[index] === IN_TURN;
  }

  /** The record has ended, or does not need its claim: there is room for another. */
  makeRoom(record: PlannedRecord): void {
    this.#ahead.makeRoom(record);
  }

  /** Records that wait for this one, because they have its key, go on. */
  noteEnd(record: PlannedRecord, end: TurnEnd): void {
    const waiters = this.#equals.noteEnd(record, end);
    if (waiters === undefined) return;
    for (const waiter of waiters) if (this.isInTurn(waiter)) this.#enter(waiter);
  }

  /** Nothing of the record is on its way any more: its lane goes on, or the records behind it are withdrawn. */
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

  /** The record runs last, alone, and so do the records behind it. `rest` is to be called when it holds no claim. */
  putOff(record: PlannedRecord): void {
    if (this.#turns[record.index] === PUT_OFF) return;
    this.#turns[record.index] = PUT_OFF;
    this.#putOff.push(record);
    this.noteEnd(record, 'put-off');
    const next = this.#nextInLane[record.index];
    if (next !== undefined && this.#turns[next.index] === WAITS) this.#withdrawFrom(next, 'put-off');
  }

  /** Nothing of a record that was put off is on its way until its turn. */
  rest(): void {
    this.#open -= 1;
  }

  /** Nothing more is claimed. Turns come all the same, so that each record learns that it will not run. */
  stop(): void {
    this.#isStopped = true;
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

  /** Its turn has come, as far as its lane is concerned. */
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
      if (this.#ahead.isUnasked(record)) this.#ahead.makeRoom(record); // it will not be asked for
      this.#add({ do: 'withdraw', record, why });
    }
  }

  /** Gives the next of those that were put off its turn. False: there is none. */
  #enterAlone(): boolean {
    if (!this.#isAlone) this.#putOff.sort((one, other) => one.index - other.index);
    this.#isAlone = true;
    const record = this.#putOff.shift();
    if (record === undefined) return false;
    const { index, lane } = record;
    const isLeft = this.#turns[index] === LEFT; // its claim was lost when it was given back
    const isBehind = lane !== undefined && this.#blockedLanes.has(lane);
    const { leavesPutOff } = this.#order;
    if (lane !== undefined && (isLeft || leavesPutOff)) this.#blockedLanes.add(lane);
    if (isLeft) return this.#enterAlone();
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
