import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import type { ClaimOperation, OperateOutcome } from '../../claims/claim-admin.ts';
import { decideOperation } from '../../claims/changes.ts';
import { decideInRounds, MOST_ROUNDS } from './decide-in-rounds.ts';
import type { DeleteOutcome, RowWriter, WriteOutcome } from './row-writer.ts';

/** What changes by people need besides: rows are deleted, and what a replacement leaves out is really removed. */
export interface RowOperator<Row> extends Pick<RowWriter<Row>, 'read' | 'replace' | 'toClaim'> {
  /** Writes claims of another store, by the times that they have, each unless its key has a row. */
  insert(claims: readonly Claim[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  /** Deletes rows that were read, each on the condition that it is still as it was read. */
  delete(rows: readonly Row[], signal?: StopSignal): Promise<DeleteOutcome<Row>[]>;
}

export interface OperateSetup<Row> {
  readonly operator: RowOperator<Row>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clockToleranceMs: number;
}

/**
 * Reads each row and decides by the table of `claims/changes.ts`. A lost race is decided again from the row that won
 * it, which most often refuses the change.
 */
export function operateOnRows<Row>(
  operations: readonly ClaimOperation[],
  { operator, clock, clockToleranceMs }: OperateSetup<Row>,
  signal?: StopSignal,
): Promise<OperateOutcome[]> {
  return decideInRounds<Row, OperateOutcome>(
    operations.map(({ key }) => key),
    operator,
    {
      clock,
      isNew: () => false,
      decide(row, index, now, mayBeGone) {
        const stored = row === undefined ? undefined : operator.toClaim(row);
        const operation = operations[index] as ClaimOperation;
        const decision = decideOperation(stored, operation, now, clockToleranceMs);
        if (row === undefined && mayBeGone) return { outcome: { status: 'done' } };
        if ('outcome' in decision) return decision;
        if (!('write' in decision)) return { delete: true, written: { status: 'done' } };
        return { write: decision.write, written: { status: 'done', claim: decision.write } };
      },
      failed: (error) => ({ status: 'error', error }),
      contended: `The claim was changed ${MOST_ROUNDS} times while it was being operated on`,
    },
    signal,
  );
}
