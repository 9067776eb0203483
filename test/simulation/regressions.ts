import type { Mode } from './scenario.ts';

/** A run in which an invariant has failed once, and what was wrong then. */
export interface Regression {
  readonly seed: number;
  readonly mode: Mode;
  readonly was: string;
}

/**
 * A seed stands for its run only as long as the simulation draws the same numbers: after a change of the
 * simulation, `npm run simulate` with many seeds is what looks for these again.
 */
export const regressions: readonly Regression[] = [
  {
    seed: 343,
    mode: 'dynamodb',
    was: 'a handler started although the renewal of its lease had taken longer than the lease it brought',
  },
  { seed: 37, mode: 'dynamodb', was: 'an extension made a lease shorter than its handler had been told' },
  { seed: 16, mode: 'dynamodb', was: 'a clock that was ahead forgot a completion within its retention' },
  { seed: 2000, mode: 'dynamodb', was: 'a late copy of an extension made a lease shorter again' },
  {
    seed: 70,
    mode: 'memory',
    was: 'a batch handler got a record whose lease was over before the others were there',
  },
  { seed: 103, mode: 'memory', was: 'a call kept the claim that came too late for it to run' },
];
