import { release } from '../attempts/settling.ts';
import type { ClaimStage } from './claim.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import { outcomeOfFollower, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';
import type { Schedule } from './schedule.ts';
import type { SettleStage } from './settle.ts';

/** The records that do not run now: they follow an equal one, run last, or are handed back. */
export class NotRun {
  readonly #context: BatchContext;
  readonly #schedule: Schedule;
  readonly #claim: ClaimStage;
  readonly #ends: SettleStage;

  constructor(context: BatchContext, schedule: Schedule, claim: ClaimStage, ends: SettleStage) {
    this.#context = context;
    this.#schedule = schedule;
    this.#claim = claim;
    this.#ends = ends;
  }

  follow(record: PlannedRecord, leader: PlannedRecord): void {
    const { ledger, watch } = this.#context;
    const { recordId, key } = record;
    const outcome = outcomeOfFollower(ledger.outcomeOf(leader) as RecordOutcome);
    const { status } = outcome;
    if (status === 'duplicate') watch.notify({ type: 'duplicate', recordId, key, within: 'batch' });
    if (status === 'parked' || status === 'invalid') {
      watch.notify({ type: 'parked', recordId, key, error: outcome.error });
    }
    this.#ends.close(record, outcome);
  }

  /**
   * Puts off a record whose last attempt crashed: it runs last and alone, and holds no claim until then. If
   * it ends this process, claims that are held at that moment look like crashes too.
   */
  putOff(attempt: BatchAttempt): void {
    const { of: record } = attempt;
    this.#ends.makeRoom(record);
    this.#giveBack(attempt, (isGivenBack) => {
      if (isGivenBack) {
        this.#schedule.putOff(record);
        this.#schedule.rest();
      } else {
        this.#ends.notStart(record, 'lease-lapsed');
        this.#ends.leave(record);
      }
    });
  }

  /** Withdraws a record. Its claim is released first, because an equal record may want it. */
  withdraw(record: PlannedRecord, why: 'order' | 'put-off'): void {
    if (why === 'put-off') this.#schedule.putOff(record);
    this.#schedule.makeRoom(record);
    this.#claim.withdraw(record, (attempt) => {
      // rule: withdrawn-claims
      if (attempt?.state === 'held') {
        this.#giveBack(attempt, (isGivenBack) => this.#withdrawn(record, why, isGivenBack));
      } else this.#withdrawn(record, why, true);
    });
  }

  /** Hands back a record that was due to run and may no longer start. */
  handBack(attempt: BatchAttempt): void {
    const { of: record } = attempt;
    this.#ends.makeRoom(record);
    const isOver = this.#context.time.deadline.stop.aborted;
    this.#ends.notStart(record, isOver ? 'deadline' : 'lease-lapsed');
    this.#giveBack(attempt, () => this.#ends.leave(record));
  }

  #withdrawn(record: PlannedRecord, why: 'order' | 'put-off', isGivenBack: boolean): void {
    if (why === 'put-off' && isGivenBack) return this.#schedule.rest();
    this.#ends.notStart(record, why === 'order' ? why : 'lease-lapsed');
    this.#ends.leaveNow(record);
  }

  #giveBack(attempt: BatchAttempt, onGivenBack: (isGivenBack: boolean) => void): void {
    if (!attempt.hasClaim) return onGivenBack(true);
    release(attempt, (outcome) => onGivenBack(outcome === 'stored'));
  }
}
