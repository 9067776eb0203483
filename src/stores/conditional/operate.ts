import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { ClaimOperation, OperateOutcome } from '../../claims/operable-store.ts';
import { decideOperation } from '../../claims/operations.ts';
import { noOutcome } from './no-outcome.ts';
import type { RowWriter, WriteOutcome } from './row-writer.ts';

/** What changes by people need besides: rows are deleted, and what a replacement leaves out is really removed. */
export interface RowOperator<Row> extends Pick<RowWriter<Row>, 'read' | 'replace' | 'toClaim'> {
  /** Writes claims of another store, by the times that they have, each unless its key has a row. */
  insert(claims: readonly Claim[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Deletes rows that were read, each on the condition that it is still as it was read. */
  delete(rows: readonly Row[], signal?: StopSignal): Promise<DeleteOutcome<Row>[]>;
}

/** `wasResent`: the delete was sent more than once, so that an earlier sending of it may be why the row is gone. */
export type DeleteOutcome<Row> = WriteOutcome<Row> & { readonly wasResent?: boolean };

export interface OperateSetup<Row> {
  readonly operator: RowOperator<Row>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clockToleranceMs: number;
}

/** Each round after the first means that another process changed the row between our read and our write. */
const MOST_ROUNDS = 5;

type Step<Row> =
  | { readonly kind: 'read' }
  | { readonly kind: 'decide'; readonly row: Row | undefined }
  | { readonly kind: 'done'; readonly outcome: OperateOutcome };

/**
 * Reads each row, decides by the table of `claims/operations.ts`, and writes on the condition that the row is still the one
 * that was read. A lost race is decided again from the row that won it, which most often refuses the change.
 */
export async function operateOnRows<Row>(
  operations: readonly ClaimOperation[],
  { operator, clock, clockToleranceMs }: OperateSetup<Row>,
  signal?: StopSignal,
): Promise<OperateOutcome[]> {
  const steps: Step<Row>[] = operations.map(() => ({ kind: 'read' }));
  /** Deletes that may have been done although their row was not met again. */
  const mayBeDeleted = new Set<number>();

  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    await readRows();
    await decideAndWrite();
    if (steps.every(({ kind }) => kind === 'done')) break;
  }
  return steps.map((step) => (step.kind === 'done' ? step.outcome : { status: 'error', error: contended() }));

  async function readRows(): Promise<void> {
    const indexes = steps.flatMap((step, index) => (step.kind === 'read' ? [index] : []));
    if (indexes.length === 0) return;
    const reads = await operator.read(
      indexes.map((index) => (operations[index] as ClaimOperation).key),
      signal,
    );
    indexes.forEach((index, position) => {
      const read = reads[position];
      if (read?.status === 'read') steps[index] = { kind: 'decide', row: read.row };
      else finish(index, { status: 'error', error: read?.error ?? noOutcome() });
    });
  }

  async function decideAndWrite(): Promise<void> {
    const now = clock.now();
    const replaced: { index: number; row: Row; claim: Claim }[] = [];
    const deleted: { index: number; row: Row }[] = [];
    steps.forEach((step, index) => {
      if (step.kind !== 'decide') return;
      const { row } = step;
      try {
        const stored = row === undefined ? undefined : operator.toClaim(row);
        const decision = decideOperation(stored, operations[index] as ClaimOperation, now, clockToleranceMs);
        if ('outcome' in decision || row === undefined) {
          const outcome = 'outcome' in decision ? decision.outcome : { status: 'done' as const };
          finish(index, row === undefined && mayBeDeleted.has(index) ? { status: 'done' } : outcome);
        } else if ('write' in decision) replaced.push({ index, row, claim: decision.write });
        else deleted.push({ index, row });
      } catch (thrown) {
        finish(index, { status: 'error', error: thrown as Error });
      }
    });
    const [replacements, deletions] = await Promise.all([
      replaced.length === 0 ? [] : operator.replace(replaced, signal),
      deleted.length === 0
        ? []
        : operator.delete(
            deleted.map(({ row }) => row),
            signal,
          ),
    ]);
    replaced.forEach(({ index, claim }, position) => note(index, replacements[position], claim));
    deleted.forEach(({ index }, position) => {
      if (deletions[position]?.wasResent === true) mayBeDeleted.add(index);
      note(index, deletions[position]);
    });
  }

  function note(index: number, write: WriteOutcome<Row> | undefined, claim?: Claim): void {
    if (write?.status === 'written') finish(index, { status: 'done', ...(claim !== undefined && { claim }) });
    else if (write?.status === 'refused') {
      steps[index] = write.row === undefined ? { kind: 'read' } : { kind: 'decide', row: write.row };
    } else finish(index, { status: 'error', error: write?.error ?? noOutcome() });
  }

  function finish(index: number, outcome: OperateOutcome): void {
    steps[index] = { kind: 'done', outcome };
  }
}

function contended(): StoreError {
  return new StoreError(`The claim was changed ${MOST_ROUNDS} times while it was being operated on`, {
    isRetryable: true,
    code: 'BATCHLATCH_CONTENDED',
  });
}
