import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** Single calls, as `withIdempotency` makes them. */
export const mutantsOfFunctions: readonly Mutant[] = [
  one(
    'calls: first answers',
    'with replayFailures the failure of a call is kept',
    'replayed-failures',
    (end) => `((end) => (end === 'replay' ? 'fail' : end))(${end})`,
  ),
  one(
    'calls: completions are stored first',
    'a call that could not store its result does not resolve with it',
    'stored-calls',
    'false',
  ),
  {
    ...one(
      'calls: giving claims back',
      'a call whose claim came too late gives it back',
      'late-calls',
      'false',
    ),
    pinnedBy: 'test/functions/with-idempotency.test.ts', // left alone, the claim lapses: nothing is lost, it takes longer
  },
  one(
    'calls: lease before start',
    'a call whose claim came late is started only after a renewal',
    'leases-of-calls',
    'true',
  ),
  one('calls: starts are recorded', 'the same of calls', 'recorded-calls', 'false'),
  {
    ...one(
      'calls: broken off',
      'a call that has seen its signal and returns is not done',
      'seen-abort-of-calls',
      'false',
    ),
    pinnedBy: 'test/functions/interrupted.test.ts',
  },
];
