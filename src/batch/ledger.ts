import type { Attempt } from '../attempts/attempt.ts';
import type { SourceEntry } from '../sources/source.ts';
import { isPermanentEnd, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';

export type NoteOutcome = (recordId: string, outcome: string) => void;

/** The outcomes and attempts of the records of one batch. */
export class Ledger {
  #delivered: readonly SourceEntry[];
  #records: readonly PlannedRecord[] = [];
  #outcomes: (RecordOutcome | undefined)[] = [];
  readonly #attempts: (Attempt<PlannedRecord> | undefined)[] = [];
  #noteOutcome: NoteOutcome | undefined;

  constructor(delivered: readonly SourceEntry[]) {
    this.#delivered = delivered;
  }

  /** The delivered records, until they are read. Keeping them longer costs 90 bytes each. */
  get delivered(): readonly SourceEntry[] {
    return this.#delivered;
  }

  /** Sets the records, once, when all are read. */
  open(records: readonly PlannedRecord[]): void {
    this.#delivered = [];
    this.#records = records;
    for (const { index, outcome } of records) this.#outcomes[index] = outcome;
  }

  /** Reports every outcome: present ones at once, the others when they are set. */
  tell(noteOutcome: NoteOutcome | undefined): void {
    this.#noteOutcome = noteOutcome;
    if (noteOutcome === undefined) return;
    for (const { recordId, outcome } of this.#records) {
      if (outcome !== undefined) noteOutcome(recordId, outcome.status);
    }
  }

  /** The records in the order of the batch; empty until they are read. */
  get records(): readonly PlannedRecord[] {
    return this.#records;
  }

  get outcomes(): readonly (RecordOutcome | undefined)[] {
    return this.#outcomes;
  }

  /** Returns the outcome; undefined means that the record has not ended, which counts as failed. */
  outcomeOf({ index }: PlannedRecord): RecordOutcome | undefined {
    return this.#outcomes[index];
  }

  finish(record: PlannedRecord, outcome: RecordOutcome): void {
    this.#outcomes[record.index] = outcome;
    this.#noteOutcome?.(record.recordId, outcome.status);
  }

  /** Returns the last attempt of the record in this invocation. */
  attemptOf({ index }: PlannedRecord): Attempt | undefined {
    return this.#attempts[index];
  }

  get attempts(): Iterable<Attempt | undefined> {
    return this.#attempts;
  }

  noteAttempts(attempts: readonly Attempt<PlannedRecord>[]): void {
    for (const attempt of attempts) this.#attempts[attempt.of.index] = attempt;
  }

  noteDeadLettered(record: PlannedRecord): void {
    const outcome = this.outcomeOf(record);
    if (isPermanentEnd(outcome)) this.#outcomes[record.index] = { ...outcome, isDeadLettered: true };
  }
}
