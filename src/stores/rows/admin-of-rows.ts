import type { ClaimAdmin, ClaimOperation, OperateOutcome } from '../../claims/claim-admin.ts';
import { countClaims, listClaims } from './list.ts';
import { readClaim } from './conditional-store.ts';
import type { RowLister } from './row-lister.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import { decideOperation } from '../../claims/changes.ts';
import { decideInRounds, MOST_ROUNDS } from './decide-in-rounds.ts';
import type { DeleteOutcome, RowWriter } from './row-writer.ts';
import { type AdoptOutcome, isAdopted } from '../../claims/adoption.ts';

interface AdminSetup<Row> {
  readonly operator: RowOperator<Row>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clockToleranceMs: number;
  /** Creates a lister for one call, so that it can sum up the cost of that call. */
  readonly lister: () => RowLister<Row>;
}

/** An admin that can also adopt claims of other stores. */
export type RowsAdmin = Required<Omit<ClaimAdmin, 'requestSize'>>;

/** Returns the admin of a store with conditional writes, for any type of row. */
export function adminOfRows<Row>(setup: AdminSetup<Row>): RowsAdmin {
  const { operator, clock } = setup;
  const listing = () => ({ lister: setup.lister(), clock, toClaim: (row: Row) => operator.toClaim(row) });
  return {
    list: async (query, { signal } = {}) => listClaims(query, listing(), signal),
    count: async (query, { signal } = {}) => countClaims(query, listing(), signal),
    read: (key, { signal } = {}) => readClaim(key, operator, clock, signal),
    adopt: (claims, { signal } = {}) => adoptClaims(claims, setup, signal),
    change: (changes, { signal } = {}) => operateOnRows(changes, setup, signal),
  };
}

/** The requests of an admin. `replace` really removes the attributes that the new claim lacks. */
export interface RowOperator<Row> extends Pick<RowWriter<Row>, 'insert' | 'read' | 'replace' | 'toClaim'> {
  /** Deletes each row if it has not changed since it was read. */
  delete(rows: readonly Row[], signal?: StopSignal): Promise<DeleteOutcome<Row>[]>;
}

/** Decides by the table in `claims/changes.ts`; after a lost race decides again, usually to refuse. */
function operateOnRows<Row>(
  operations: readonly ClaimOperation[],
  { operator, clock, clockToleranceMs }: AdminSetup<Row>,
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

/** Writes claims of another store: inserts if the key has no row, else `isAdopted` decides. */
function adoptClaims<Row>(
  claims: readonly Claim[],
  { operator, clock }: AdminSetup<Row>,
  signal?: StopSignal,
): Promise<AdoptOutcome[]> {
  const stored = (index: number) => ({ write: claims[index] as Claim, written: 'stored' as const });
  return decideInRounds<Row, AdoptOutcome>(
    claims.map(({ key }) => key),
    operator,
    {
      clock,
      isNew: () => true,
      first: stored,
      decide(row, index, now) {
        if (row === undefined) return 'insert';
        const isWritten = isAdopted(operator.toClaim(row), claims[index] as Claim, now);
        return isWritten ? stored(index) : { outcome: 'present' };
      },
      failed: (error) => ({ error }),
      contended: `The claim was changed ${MOST_ROUNDS} times while it was being copied`,
    },
    signal,
  );
}
