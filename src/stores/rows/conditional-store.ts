import type { ClaimStore, AcquireOutcome, ClaimRequest } from '../../claims/claim-store.ts';
import type { Clock } from '../../base/clock.ts';
import { type RowWriter, noOutcome } from './row-writer.ts';
import { ownersMethods } from './settle.ts';
import type { StopSignal } from '../../base/stop.ts';
import { acquired, decideAcquire, firstClaim, isForgotten } from '../../claims/transitions.ts';
import { decideInRounds, MOST_ROUNDS } from './decide-in-rounds.ts';
import type { Claim } from '../../claims/claim.ts';

interface ConditionalSetup<Row> {
  readonly writer: RowWriter<Row>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a takeover waits after the lease ends. */
  readonly clockToleranceMs: number;
}

/** Returns the engine's methods of a store with conditional writes, for any type of row. */
export function conditionalStore<Row>(
  setup: ConditionalSetup<Row>,
): Required<Pick<ClaimStore, 'acquire' | 'settle' | 'extend' | 'start' | 'inspect'>> {
  const { writer, clock } = setup;
  return {
    acquire: (requests, options) => acquireClaims(requests, setup, options?.signal),
    ...ownersMethods(setup),
    inspect: (key) => readClaim(key, writer, clock),
  };
}

export const CONTENDED: string = `The claim changed hands ${MOST_ROUNDS} times while it was being acquired`;

/**
 * Inserts first deliveries without reading them (up to 25 in one DynamoDB request). Redeliveries, and inserts
 * that met a row, are read strongly consistently and decided by the state machine.
 */
function acquireClaims<Row>(
  requests: readonly ClaimRequest[],
  { writer, clock, clockToleranceMs }: ConditionalSetup<Row>,
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
      contended: CONTENDED,
    },
    signal,
  );
}

/** Returns the claim of a key unless its retention is over. Rejects if the read fails. */
export async function readClaim<Row>(
  key: string,
  { read, toClaim }: Pick<RowWriter<Row>, 'read' | 'toClaim'>,
  clock: Pick<Clock, 'now'>,
  signal?: StopSignal,
): Promise<Claim | undefined> {
  const [found] = await read([key], signal);
  if (found === undefined || found.status === 'error') throw found?.error ?? noOutcome();
  const claim = found.row === undefined ? undefined : toClaim(found.row);
  return claim === undefined || isForgotten(claim, clock.now()) ? undefined : claim;
}
