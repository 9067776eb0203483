import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import {
  noOutcome,
  type DeleteOutcome,
  type Replacement,
  type RowWriter,
  type WriteOutcome,
} from './row-writer.ts';

/** The database requests of the rounds. Each write is atomic together with its condition. */
interface RoundWriter<Row> extends Pick<RowWriter<Row>, 'insert' | 'read' | 'replace'> {
  delete?(rows: readonly Row[], signal?: StopSignal): Promise<DeleteOutcome<Row>[]>;
}

interface Write<Outcome> {
  readonly write: Claim;
  readonly written: Outcome;
}

/** The decision on a row. `insert`: the key has no row; `first` makes its claim. */
type Decision<Outcome> =
  | 'insert'
  | { readonly outcome: Outcome }
  | Write<Outcome>
  | { readonly delete: true; readonly written: Outcome };

interface Rules<Row, Outcome> {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the first round inserts the key without reading it. */
  readonly isNew: (index: number) => boolean;
  /** The claim of a key that has no row. */
  readonly first?: (index: number, now: number) => Write<Outcome>;
  /**
   * Decides on a row; an error fails only its key. `mayBeGone`: an earlier delete was sent more than once, so
   * this caller may have deleted the row.
   */
  readonly decide: (
    row: Row | undefined,
    index: number,
    now: number,
    mayBeGone: boolean,
  ) => Decision<Outcome>;
  readonly failed: (error: Error) => Outcome;
  /** The error message if the row changes in every round. */
  readonly contended: string;
}

/**
 * Each round after the first means that another process changed the row between our read and our write. Races
 * normally settle in two or three rounds.
 */
export const MOST_ROUNDS = 5;

export function contended(message: string): StoreError {
  return new StoreError(message, { isRetryable: true, code: 'BATCHLATCH_CONTENDED' });
}

/** The next step of a key. An object holds the row that was read, for a decision. */
type Step<Row> = 'insert' | 'read' | 'done' | { readonly row: Row | undefined };

/**
 * Inserts, reads, decides and writes until every key has its outcome; each step handles all its keys at once.
 * A write requires that the row is still as it was read; after a lost race the key is decided again.
 */
export async function decideInRounds<Row, Outcome>(
  keys: readonly string[],
  writer: RoundWriter<Row>,
  rules: Rules<Row, Outcome>,
  signal?: StopSignal,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const steps: Step<Row>[] = keys.map((_, index) => (rules.isNew(index) ? 'insert' : 'read'));
  const mayBeGone = new Set<number>();
  let unfinished = steps.length;

  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    await insertAbsent();
    if (unfinished > 0) await readRows();
    if (unfinished > 0) await decideAndWrite();
    if (unfinished === 0) return outcomes;
  }
  steps.forEach((step, index) => step !== 'done' && fail(index, contended(rules.contended)));
  return outcomes;

  async function insertAbsent(): Promise<void> {
    const { first } = rules;
    const indexes = indexesOf('insert');
    if (indexes.length === 0 || first === undefined) return;
    const now = rules.clock.now();
    const firsts = indexes.map((index) => first(index, now));
    const claims = firsts.map(({ write }) => write);
    const writes = await writer.insert(claims, signal);
    firsts.forEach(({ written }, at) => note(indexes[at] as number, writes[at], written));
  }

  async function readRows(): Promise<void> {
    const indexes = indexesOf('read');
    if (indexes.length === 0) return;
    const reads = await writer.read(
      indexes.map((index) => keys[index] as string),
      signal,
    );
    indexes.forEach((index, at) => {
      const read = reads[at];
      if (read?.status === 'read') steps[index] = { row: read.row };
      else fail(index, read?.error ?? noOutcome());
    });
  }

  async function decideAndWrite(): Promise<void> {
    const now = rules.clock.now();
    const replaced: (Replacement<Row> & { index: number; written: Outcome })[] = [];
    const deleted: { index: number; row: Row; written: Outcome }[] = [];
    steps.forEach((step, index) => {
      if (typeof step === 'string') return;
      const { row } = step;
      try {
        const decision = rules.decide(row, index, now, mayBeGone.has(index));
        if (decision === 'insert') steps[index] = 'insert';
        else if ('outcome' in decision) finish(index, decision.outcome);
        else if (row === undefined) finish(index, decision.written);
        else if ('delete' in decision) deleted.push({ index, row, written: decision.written });
        else replaced.push({ index, row, claim: decision.write, written: decision.written });
      } catch (thrown) {
        fail(index, thrown as Error);
      }
    });
    const rows = deleted.map(({ row }) => row);
    const [replacements, deletions] = await Promise.all([
      replaced.length === 0 ? [] : writer.replace(replaced, signal),
      rows.length === 0 ? [] : writer.delete?.(rows, signal),
    ]);
    replaced.forEach(({ index, written }, at) => note(index, replacements[at], written));
    deleted.forEach(({ index, written }, at) => {
      if (deletions?.[at]?.wasResent === true) mayBeGone.add(index);
      note(index, deletions?.[at], written);
    });
  }

  function indexesOf(kind: 'insert' | 'read'): number[] {
    const indexes: number[] = [];
    steps.forEach((step, index) => step === kind && indexes.push(index));
    return indexes;
  }

  /** A refused write is not final: if an earlier answer was lost, the row may be this caller's own. */
  function note(index: number, write: WriteOutcome<Row> | undefined, written: Outcome): void {
    // rule: refused-writes
    if (write?.status === 'written') finish(index, written);
    else if (write?.status === 'refused') {
      steps[index] = write.row === undefined ? 'read' : { row: write.row };
    } else fail(index, write?.error ?? noOutcome());
  }

  function fail(index: number, error: Error): void {
    finish(index, rules.failed(error));
  }

  function finish(index: number, outcome: Outcome): void {
    outcomes[index] = outcome;
    steps[index] = 'done';
    unfinished -= 1;
  }
}
