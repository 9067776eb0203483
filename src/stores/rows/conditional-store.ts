import type { ClaimStore } from '../../claims/claim-store.ts';
import type { Clock } from '../../base/clock.ts';
import { acquireClaims } from './acquire.ts';
import { readClaim } from './read-claim.ts';
import type { RowWriter } from './row-writer.ts';
import { extendLeases, settleClaims, startClaims } from './settle.ts';

export interface ConditionalSetup<Row> {
  readonly writer: RowWriter<Row>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long past its lease a claim is left alone before it may be taken over. */
  readonly clockToleranceMs: number;
}

/** What every store does that decides by the state machine and writes on conditions, whatever its rows are. */
export function conditionalStore<Row>(
  setup: ConditionalSetup<Row>,
): Required<Pick<ClaimStore, 'acquire' | 'settle' | 'extend' | 'start' | 'inspect'>> {
  const { writer, clock } = setup;
  return {
    acquire: (requests, options) => acquireClaims(requests, setup, options?.signal),
    settle: (settlements, options) => settleClaims(settlements, setup, options?.signal),
    extend: (extensions, options) => extendLeases(extensions, setup, options?.signal),
    start: (claims, options) => startClaims(claims, setup, options?.signal),
    inspect: (key) => readClaim(key, writer, clock),
  };
}
