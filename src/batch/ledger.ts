import type { Attempt } from '../attempts/attempt.ts';
import type { SourceEntry } from '../sources/source.ts';
import { isPermanentEnd, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';

export type NoteOutcome = (recordId: string, outcome: string) => void;

/** What has become of the records of one batch. Whatever looks at a batch as a whole reads it here. */
export class Ledger {
  #delivered: readonly SourceEntry[];
  #records: readonly PlannedRecord[] = [];
  #outcomes: (RecordOutcome | undefined)[] = [];
  readonly #attempts: (Attempt<PlannedRecord> | undefined)[] = [];
  #noteOutcome: NoteOutcome | undefined;

  constructor(delivered: readonly SourceEntry[]) {
    this.#delivered = delivered;
  }

  /** The records as they were delivered, until they have been read: held on to, they would take 90 bytes each. */
  get delivered(): readonly SourceEntry[] {
    return this.#delivered;
  }

  /** To be called once, when all records have been read. */
  open(records: readonly PlannedRecord[]): void {
    this.#delivered = [];
    this.#records = records;
    for (const { index, outcome } of records) this.#outcomes[index] = outcome;
  }

  /** Has every outcome told: at once those that are there, and the others when they come. */
  tell(noteOutcome: NoteOutcome | undefined): void {
    this.#noteOutcome = noteOutcome;
    if (noteOutcome === undefined) return;
    for (const { recordId, outcome } of this.#records) {
      if (outcome !== undefined) noteOutcome(recordId, outcome.status);
    }
  }

  /** In the batch's order; none before they have been read. */
  get records(): readonly PlannedRecord[] {
    return this.#records;
  }

  /** The outcomes by the indexes of the records. */
  get outcomes(): readonly (RecordOutcome | undefined)[] {
    return this.#outcomes;
  }

  /** Undefined: it has not ended, and counts as failed. */
  outcomeOf({ index }: PlannedRecord): RecordOutcome | undefined {
    return this.#outcomes[index];
  }

  /** Sets the outcome of a record, once. */
  finish(record: PlannedRecord, outcome: RecordOutcome): void {
    this.#outcomes[record.index] = outcome;
    this.#noteOutcome?.(record.recordId, outcome.status);
  }

  /** The last attempt at it in this invocation. */
  attemptOf({ index }: PlannedRecord): Attempt | undefined {
    return this.#attempts[index];
  }

  /** The last attempts at all records. */
  get attempts(): Iterable<Attempt | undefined> {
    return this.#attempts;
  }

  noteAttempts(attempts: readonly Attempt<PlannedRecord>[]): void {
    for (const attempt of attempts) this.#attempts[attempt.of.index] = attempt;
  }

  /** The dead-letter queue has taken it. */
  noteDeadLettered(record: PlannedRecord): void {
    const outcome = this.outcomeOf(record);
    if (isPermanentEnd(outcome)) this.#outcomes[record.index] = { ...outcome, isDeadLettered: true };
  }
}
