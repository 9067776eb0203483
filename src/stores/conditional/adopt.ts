import type { StopSignal } from '../../base/stop.ts';
import { type AdoptOutcome, isAdopted } from '../../claims/adoption.ts';
import type { Claim } from '../../claims/claim.ts';
import { StoreError } from '../../base/errors.ts';
import { noOutcome } from './no-outcome.ts';
import type { OperateSetup } from './operate.ts';
import type { Replacement, WriteOutcome } from './row-writer.ts';

/** Each round after the first means that another process changed the row between our read and our write. */
const MOST_ROUNDS = 5;

type Step<Row> =
  | { readonly kind: 'insert' }
  | { readonly kind: 'read' }
  | { readonly kind: 'decide'; readonly row: Row | undefined }
  | { readonly kind: 'done'; readonly outcome: AdoptOutcome };

/**
 * Writes claims of another store: inserted where a key has no row; where it has one, `isAdopted` decides, and the claim is written
 * on the condition that the row is still the one that was read.
 */
export async function adoptClaims<Row>(
  claims: readonly Claim[],
  { operator, clock }: Pick<OperateSetup<Row>, 'operator' | 'clock'>,
  signal?: StopSignal,
): Promise<AdoptOutcome[]> {
  const steps: Step<Row>[] = claims.map(() => ({ kind: 'insert' }));

  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    await insertAbsent();
    await readRows();
    await decideAndReplace();
    if (steps.every(({ kind }) => kind === 'done')) break;
  }
  return steps.map((step) => (step.kind === 'done' ? step.outcome : { error: contended() }));

  function indexesOf(kind: Step<Row>['kind']): number[] {
    return steps.flatMap((step, index) => (step.kind === kind ? [index] : []));
  }

  async function insertAbsent(): Promise<void> {
    const indexes = indexesOf('insert');
    if (indexes.length === 0) return;
    const writes = await operator.insert(
      indexes.map((index) => claims[index] as Claim),
      signal,
    );
    indexes.forEach((index, position) => note(index, writes[position]));
  }

  async function readRows(): Promise<void> {
    const indexes = indexesOf('read');
    if (indexes.length === 0) return;
    const reads = await operator.read(
      indexes.map((index) => (claims[index] as Claim).key),
      signal,
    );
    indexes.forEach((index, position) => {
      const read = reads[position];
      if (read?.status === 'read') steps[index] = { kind: 'decide', row: read.row };
      else finish(index, { error: read?.error ?? noOutcome() });
    });
  }

  async function decideAndReplace(): Promise<void> {
    const now = clock.now();
    const replaced: { index: number; replacement: Replacement<Row> }[] = [];
    steps.forEach((step, index) => {
      if (step.kind !== 'decide') return;
      const claim = claims[index] as Claim;
      try {
        if (step.row === undefined) steps[index] = { kind: 'insert' };
        else if (!isAdopted(operator.toClaim(step.row), claim, now)) finish(index, 'present');
        else replaced.push({ index, replacement: { row: step.row, claim } });
      } catch (thrown) {
        finish(index, { error: thrown as Error });
      }
    });
    if (replaced.length === 0) return;
    const writes = await operator.replace(
      replaced.map(({ replacement }) => replacement),
      signal,
    );
    replaced.forEach(({ index }, position) => note(index, writes[position]));
  }

  function note(index: number, write: WriteOutcome<Row> | undefined): void {
    if (write?.status === 'written') finish(index, 'stored');
    else if (write?.status === 'refused') {
      steps[index] = write.row === undefined ? { kind: 'read' } : { kind: 'decide', row: write.row };
    } else finish(index, { error: write?.error ?? noOutcome() });
  }

  function finish(index: number, outcome: AdoptOutcome): void {
    steps[index] = { kind: 'done', outcome };
  }
}

function contended(): StoreError {
  return new StoreError(`The claim was changed ${MOST_ROUNDS} times while it was being copied`, {
    isRetryable: true,
    code: 'BATCHLATCH_CONTENDED',
  });
}
