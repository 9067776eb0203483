import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type KeyedRecord, plan, type PlannedRecord } from '../../src/batch/plan.ts';
import { Schedule } from '../../src/batch/schedule.ts';
import { ClaimsAhead } from '../../src/batch/schedule-parts.ts';
import type { Order, Step } from '../../src/batch/step.ts';

const REACH = { ahead: 4, atLeast: 2, atMost: 3 };
const ORDER: Omit<Order, 'ahead'> = {
  isAlone: false,
  leavesPutOff: false,
};

/** What happens to a record when its turn comes. */
interface Fate {
  readonly lane: number | undefined;
  readonly key: number;
  readonly payload: number;
  readonly isInvalid: boolean;
  readonly isSuspect: boolean;
  readonly fails: boolean;
}

const fate: fc.Arbitrary<Fate> = fc.record({
  lane: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  key: fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 12 })), // often one that others have too
  payload: fc.nat({ max: 1 }),
  isInvalid: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0),
  isSuspect: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 0),
  fails: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 0),
});

function planned(fates: readonly Fate[]): readonly PlannedRecord[] {
  return plan(
    fates.map(({ lane, key, payload, isInvalid }, index): KeyedRecord => ({
      index,
      itemIdentifier: `${index}`,
      recordId: `${index}`,
      lane: lane === undefined ? undefined : `lane ${lane}`,
      record: undefined,
      key: `key ${key}`,
      payloadHash: `payload ${payload}`,
      route: undefined,
      outcome: isInvalid ? { status: 'invalid', error: new Error('unreadable') } : undefined,
    })),
  );
}

/** Runs a schedule as the stages do. Claims are answered, and handlers end, in an order that `pick` draws. */
class Run {
  readonly started: number[] = [];
  readonly ended = new Map<number, 'done' | 'failed' | 'handed back'>();
  readonly #fates: readonly Fate[];
  readonly #schedule: Schedule;
  readonly #pick: (many: number) => number;
  /** What is on its way: answers of the store, and handlers. */
  readonly #pending: (() => void)[] = [];
  readonly #claims = new Map<number, 'asked' | 'held' | 'given back'>();
  readonly #turns = new Set<number>();
  /** What each record has asked for last: an answer to what was withdrawn says nothing of what is asked for again. */
  readonly #asks = new Map<number, object>();

  constructor(fates: readonly Fate[], order: typeof ORDER, pick: (many: number) => number) {
    this.#fates = fates;
    this.#pick = pick;
    const records = planned(fates);
    this.#schedule = new Schedule(records, { ...order, ahead: new ClaimsAhead(records, REACH) });
  }

  /** Runs to its end; after so many turns it is told to stop. */
  run(stopAfter = Infinity): void {
    let turns = 0;
    this.#advance();
    while (this.#pending.length > 0) {
      const [next] = this.#pending.splice(this.#pick(this.#pending.length), 1);
      next?.();
      turns += 1;
      if (turns === stopAfter) this.#schedule.stop();
      this.#advance();
    }
    expect(this.#schedule.isDone).toBe(true);
  }

  #advance(): void {
    for (let step = this.#schedule.next(); step !== undefined; step = this.#schedule.next()) this.#do(step);
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'claim':
        for (const record of step.group) {
          this.#claims.set(record.index, 'asked');
          if (this.#schedule.isInTurn(record)) this.#turns.add(record.index);
          const ask = {};
          this.#asks.set(record.index, ask);
          this.#pending.push(() => {
            if (this.#asks.get(record.index) !== ask) return;
            this.#claims.set(record.index, 'held');
            if (this.#turns.has(record.index)) this.#claimed(record);
          });
        }
        return;
      case 'run':
        this.#turns.add(step.record.index);
        if (this.#claims.get(step.record.index) === 'held') this.#claimed(step.record);
        return;
      case 'follow': {
        const leads = this.ended.get(step.leader.index);
        expect(leads).toBeDefined();
        return this.#end(step.record, leads ?? 'failed');
      }
      case 'pass':
        return this.#end(step.record, 'failed');
      case 'drop':
        expect(this.started).not.toContain(step.record.index);
        return this.#end(step.record, 'handed back', step.why === 'order');
      case 'withdraw':
        return this.#withdraw(step.record, step.why);
    }
  }

  #claimed(record: PlannedRecord): void {
    const { isSuspect, fails } = this.#fates[record.index] as Fate;
    if (isSuspect && !this.#schedule.isAlone) {
      this.#schedule.makeRoom(record);
      this.#claims.set(record.index, 'given back');
      this.#turns.delete(record.index);
      this.#pending.push(() => {
        this.#schedule.putOff(record);
        this.#schedule.rest();
      });
      return;
    }
    this.started.push(record.index);
    this.#pending.push(() => {
      this.#schedule.makeRoom(record);
      this.#end(record, fails ? 'failed' : 'done');
    });
  }

  #withdraw(record: PlannedRecord, why: 'order' | 'put-off'): void {
    if (why === 'put-off') this.#schedule.putOff(record);
    this.#schedule.makeRoom(record);
    this.#turns.delete(record.index);
    this.#asks.delete(record.index);
    this.#pending.push(() => {
      if (why === 'put-off') this.#schedule.rest();
      else this.#end(record, 'handed back', true);
    });
  }

  #end(record: PlannedRecord, how: 'done' | 'failed' | 'handed back', isHeldBack = false): void {
    if (!this.ended.has(record.index)) {
      this.ended.set(record.index, how);
      this.#schedule.noteEnd(record, isHeldBack ? 'held-back' : 'ended');
    }
    this.#schedule.leave(record, how === 'done');
  }
}

const batch = fc.array(fate, { maxLength: 40 });
const draws = fc.infiniteStream(fc.nat({ max: 999 }));

function runOf(
  fates: readonly Fate[],
  order: typeof ORDER,
  stream: Iterator<number>,
  stopAfter?: number,
): Run {
  const run = new Run(fates, order, (many) => (stream.next().value as number) % many);
  run.run(stopAfter);
  return run;
}

describe('A schedule, whatever the lanes, keys, suspects and outcomes', () => {
  it('ends every record, and starts none twice', () => {
    fc.assert(
      fc.property(batch, draws, fc.boolean(), (fates, stream, leavesPutOff) => {
        const { ended, started } = runOf(fates, { ...ORDER, leavesPutOff }, stream);
        expect(ended.size).toBe(fates.length);
        expect(new Set(started).size).toBe(started.length);
      }),
    );
  });

  it('ends every record when it is told to stop, and waits for what runs', () => {
    fc.assert(
      fc.property(batch, draws, fc.nat({ max: 30 }), fc.boolean(), (fates, stream, stopAfter, isAlone) => {
        expect(runOf(fates, { ...ORDER, isAlone }, stream, stopAfter).ended.size).toBe(fates.length);
      }),
    );
  });

  it('keeps the order of a lane, and starts nothing behind a failure of it', () => {
    fc.assert(
      fc.property(batch, draws, (fates, stream) => {
        const { started, ended } = runOf(fates, ORDER, stream);
        for (const lane of new Set(fates.map((one) => one.lane))) {
          if (lane === undefined) continue;
          const ofLane = started.filter((index) => fates[index]?.lane === lane);
          expect(ofLane).toEqual(ofLane.toSorted((one, other) => one - other));
          const first = fates.findIndex((one, index) => one.lane === lane && ended.get(index) !== 'done');
          if (first !== -1) expect(ofLane.filter((index) => index > first)).toEqual([]);
        }
      }),
    );
  });

  it('runs equal records once, and two payloads of one key one after the other', () => {
    fc.assert(
      fc.property(batch, draws, (fates, stream) => {
        const records = planned(fates);
        const { started } = runOf(fates, ORDER, stream);
        for (const [position, index] of started.entries()) {
          const { leader, behind } = records[index] as PlannedRecord;
          // A follower that runs does so in the place of a leader that did not.
          if (leader !== undefined) expect(started).not.toContain(leader.index);
          if (behind !== undefined && started.includes(behind.index)) {
            expect(started.indexOf(behind.index)).toBeLessThan(position);
          }
        }
      }),
    );
  });

  it('runs suspects after all others', () => {
    fc.assert(
      fc.property(batch, draws, (fates, stream) => {
        const { started } = runOf(
          fates.map((one) => ({ ...one, lane: undefined, fails: false })),
          ORDER,
          stream,
        );
        const first = started.findIndex((index) => fates[index]?.isSuspect === true);
        if (first === -1) return;
        const records = planned(fates);
        const isBehindSuspect = (index: number): boolean => {
          const { leader, behind } = records[index] as PlannedRecord;
          const before = leader ?? behind;
          return (
            before !== undefined && (fates[before.index]?.isSuspect === true || isBehindSuspect(before.index))
          );
        };
        for (const index of started.slice(first)) {
          expect(fates[index]?.isSuspect === true || isBehindSuspect(index)).toBe(true);
        }
      }),
    );
  });

  it('runs one record at a time where all run alone', () => {
    fc.assert(
      fc.property(batch, draws, (fates, stream) => {
        const { ended, started } = runOf(fates, { ...ORDER, isAlone: true }, stream);
        expect(ended.size).toBe(fates.length);
        expect(started).toEqual(started.toSorted((one, other) => one - other));
      }),
    );
  });
});

it('A schedule runs a suspect behind an equal one of another lane that nothing held back', () => {
  const plain = { payload: 0, isInvalid: false, isSuspect: false, fails: false };
  const fates: Fate[] = [
    { ...plain, lane: 1, key: 0, isInvalid: true },
    { ...plain, lane: 3, key: 0, isSuspect: true },
    { ...plain, lane: 1, key: 1 }, // held back behind the first, so another of its key runs
    { ...plain, lane: 3, key: 1 },
    { ...plain, lane: 3, key: 2 },
    { ...plain, lane: undefined, key: 1, isSuspect: true }, // is the first of its key to come, and is put off
  ];
  const run = new Run(fates, ORDER, () => 0);
  run.run();
  const { started, ended } = run;
  expect(started).toEqual([1, 3, 4]);
  expect(ended.get(5)).toBe('done');
});

it('A schedule passes over ten thousand put-off records whose claims were lost', () => {
  const fates = Array.from({ length: 10_000 }, (_, key): Fate => ({
    lane: undefined,
    key,
    payload: 0,
    isInvalid: false,
    isSuspect: false,
    fails: false,
  }));
  const records = planned(fates);
  const ahead = new ClaimsAhead(records, { ...REACH, ahead: Infinity });
  const schedule = new Schedule(records, { ...ORDER, ahead });
  while (schedule.next() !== undefined); // all claims are requested
  for (const record of records) schedule.putOff(record);
  for (const record of records) schedule.leave(record, false);
  expect(schedule.next()).toBeUndefined();
  expect(schedule.isDone).toBe(true);
});
