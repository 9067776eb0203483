import type { Clock } from '../../base/clock.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import { isForgotten } from '../../claims/transitions.ts';
import { noOutcome } from './no-outcome.ts';
import type { RowWriter } from './row-writer.ts';

/** The claim of a key; undefined where there is none, or its retention is over. Rejects where the store does not say. */
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
