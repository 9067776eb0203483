import type { Claim } from '../../claims/claim.ts';
import type { AcquireOutcome, ClaimRequest } from '../../claims/claim-store.ts';
import type { Clock } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { StopSignal } from '../../base/stop.ts';
import { acquired, decideAcquire, firstClaim } from '../../claims/transitions.ts';
import { noOutcome } from './no-outcome.ts';
import type { Replacement, RowWriter, WriteOutcome } from './row-writer.ts';

export interface AcquireSetup<Row> {
  readonly writer: RowWriter<Row>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clockToleranceMs: number;
}

/**
 * Each round after the first means that another process changed the row between our read and our write.
 * Racing claims settle in two or three; a row that keeps changing for longer is an error.
 */
const MOST_ROUNDS = 5;

/** What is to be done next for one request. */
type Step<Row> =
  | { readonly kind: 'insert' }
  | { readonly kind: 'read' }
  | { readonly kind: 'decide'; readonly row: Row | undefined }
  | { readonly kind: 'done' };

const INSERT = { kind: 'insert' } as const;
const READ = { kind: 'read' } as const;
const DONE = { kind: 'done' } as const;

/**
 * First deliveries are inserted without a read: one request for 25 of them. Redeliveries, and inserts that met a
 * row, are read strongly consistently, decided by the state machine, and written on the condition that the
 * row is still the one that was read. A lost race is decided again.
 */
export async function acquireClaims<Row>(
  requests: readonly ClaimRequest[],
  { writer, clock, clockToleranceMs }: AcquireSetup<Row>,
  signal?: StopSignal,
): Promise<AcquireOutcome[]> {
  const outcomes: AcquireOutcome[] = [];
  const steps: Step<Row>[] = requests.map(({ isRedelivery }) => (isRedelivery === true ? READ : INSERT));
  let unfinished = steps.length;
  const finish = (index: number, outcome: AcquireOutcome): void => {
    outcomes[index] = outcome;
    steps[index] = DONE;
    unfinished -= 1;
  };

  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    await insertAbsent();
    if (unfinished > 0) await readRows();
    if (unfinished > 0) await decideAndUpdate();
    if (unfinished === 0) return outcomes;
  }
  steps.forEach((step, index) => {
    if (step.kind !== 'done') finish(index, { status: 'error', error: contended() });
  });
  return outcomes;

  function indexesOf(kind: Step<Row>['kind']): number[] {
    const indexes: number[] = [];
    steps.forEach((step, index) => step.kind === kind && indexes.push(index));
    return indexes;
  }

  async function insertAbsent(): Promise<void> {
    const indexes = indexesOf('insert');
    if (indexes.length === 0) return;
    const now = clock.now();
    const claims = indexes.map((index) => firstClaim(requests[index] as ClaimRequest, now));
    const writes = await writer.insert(claims, signal);
    indexes.forEach((index, position) =>
      noteWrite(index, writes[position], claims[position] as Claim, false),
    );
  }

  async function readRows(): Promise<void> {
    const indexes = indexesOf('read');
    if (indexes.length === 0) return;
    const reads = await writer.read(
      indexes.map((index) => (requests[index] as ClaimRequest).key),
      signal,
    );
    indexes.forEach((index, position) => {
      const read = reads[position];
      if (read?.status === 'read') steps[index] = { kind: 'decide', row: read.row };
      else finish(index, { status: 'error', error: read?.error ?? noOutcome() });
    });
  }

  async function decideAndUpdate(): Promise<void> {
    const now = clock.now();
    const pending: { index: number; claim: Claim; tookOver: boolean; replacement: Replacement<Row> }[] = [];
    steps.forEach((step, index) => {
      if (step.kind !== 'decide') return;
      const request = requests[index] as ClaimRequest;
      try {
        const stored = step.row === undefined ? undefined : writer.toClaim(step.row);
        const decision = decideAcquire(stored, request, now, clockToleranceMs);
        if ('outcome' in decision) finish(index, decision.outcome);
        else if (step.row === undefined) steps[index] = INSERT;
        else {
          const { write: claim, tookOver } = decision;
          pending.push({ index, claim, tookOver, replacement: { row: step.row, claim } });
        }
      } catch (thrown) {
        finish(index, { status: 'error', error: thrown as Error });
      }
    });
    if (pending.length === 0) return;
    const writes = await writer.replace(
      pending.map(({ replacement }) => replacement),
      signal,
    );
    pending.forEach(({ index, claim, tookOver }, position) =>
      noteWrite(index, writes[position], claim, tookOver),
    );
  }

  /** A refused write is not final: the row may even carry this request's own owner, when the first answer was lost. */
  function noteWrite(
    index: number,
    write: WriteOutcome<Row> | undefined,
    claim: Claim,
    tookOver: boolean,
  ): void {
    if (write?.status === 'written') finish(index, acquired(claim, tookOver));
    else if (write?.status === 'refused') {
      steps[index] = write.row === undefined ? READ : { kind: 'decide', row: write.row };
    } else finish(index, { status: 'error', error: write?.error ?? noOutcome() });
  }
}

function contended(): StoreError {
  return new StoreError(`The claim changed hands ${MOST_ROUNDS} times while it was being acquired`, {
    isRetryable: true,
    code: 'BATCHLATCH_CONTENDED',
  });
}
