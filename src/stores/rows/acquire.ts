import type { AcquireOutcome, ClaimRequest } from '../../claims/claim-store.ts';
import type { Clock } from '../../base/clock.ts';
import type { StopSignal } from '../../base/stop.ts';
import { acquired, decideAcquire, firstClaim } from '../../claims/transitions.ts';
import { decideInRounds, MOST_ROUNDS } from './decide-in-rounds.ts';
import type { RowWriter } from './row-writer.ts';

export interface AcquireSetup<Row> {
  readonly writer: RowWriter<Row>;
  readonly clock: Pick<Clock, 'now'>;
  readonly clockToleranceMs: number;
}

/**
 * First deliveries are inserted without a read: one request for 25 of them. Redeliveries, and inserts that met a
 * row, are read strongly consistently, and decided by the state machine.
 */
export function acquireClaims<Row>(
  requests: readonly ClaimRequest[],
  { writer, clock, clockToleranceMs }: AcquireSetup<Row>,
  signal?: StopSignal,
): Promise<AcquireOutcome[]> {
  return decideInRounds<Row, AcquireOutcome>(
    requests.map(({ key }) => key),
    writer,
    {
      clock,
      isNew: (index) => requests[index]?.isRedelivery !== true,
      first(index, now) {
        const write = firstClaim(requests[index] as ClaimRequest, now);
        return { write, written: acquired(write, false) };
      },
      decide(row, index, now) {
        const stored = row === undefined ? undefined : writer.toClaim(row);
        const request = requests[index] as ClaimRequest;
        const decision = decideAcquire(stored, request, now, clockToleranceMs);
        if ('outcome' in decision) return decision;
        const { write, tookOver } = decision;
        return row === undefined ? 'insert' : { write, written: acquired(write, tookOver) };
      },
      failed: (error) => ({ status: 'error', error }),
      contended: `The claim changed hands ${MOST_ROUNDS} times while it was being acquired`,
    },
    signal,
  );
}
