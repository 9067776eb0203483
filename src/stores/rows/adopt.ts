import type { StopSignal } from '../../base/stop.ts';
import { type AdoptOutcome, isAdopted } from '../../claims/adoption.ts';
import type { Claim } from '../../claims/claim.ts';
import { decideInRounds, MOST_ROUNDS } from './decide-in-rounds.ts';
import type { OperateSetup } from './operate.ts';

/** Writes claims of another store: inserted where a key has no row; where it has one, `isAdopted` decides. */
export function adoptClaims<Row>(
  claims: readonly Claim[],
  { operator, clock }: Pick<OperateSetup<Row>, 'operator' | 'clock'>,
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
