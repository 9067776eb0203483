import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** The plan, the schedule, the stages and the answer of a batch. */
export const mutantsOfBatches: readonly Mutant[] = [
  one('coalescing', 'equal keys of one batch run once', 'equal-keys-run-once', 'undefined'),
  one(
    'payloads: outcomes of their own',
    'only records of equal key and equal payload share an outcome',
    'equal-payloads',
    'true',
  ),
  {
    // Side by side they reach the store in the same order, unless its answers overtake one another, which is rare.
    ...one(
      'payloads: one after the other',
      'two payloads of one key are not claimed side by side',
      'payloads-in-turn',
      'false',
    ),
    pinnedBy: 'test/batch/payload-validation.test.ts',
  },
  one('group stop', 'after a failure the rest of the group is handed back', 'lane-stops', 'true'),
  one(
    'put-off isolation',
    'a key whose last attempt died runs after the others, and alone',
    'crashed-run-last',
    'false',
  ),
  one(
    'giving claims back',
    'what waits behind a failure in its group gives its claim back',
    'withdrawn-claims',
    'false',
  ),
  one(
    "'all failed' start",
    'a record without an outcome counts as failed',
    'all-failed',
    (isAcknowledged) => `outcome === undefined || ${isAcknowledged}`,
  ),
  one(
    'conflicts come back',
    'a record whose key somebody else runs is not acknowledged',
    'done-outcomes',
    (isDone) => `${isDone} || status === 'conflict'`,
  ),
  one(
    'lost settlements come back',
    'a completion that was refused does not acknowledge',
    'stored-completes',
    (isStored) => `${isStored} || settled === 'lost'`,
  ),
  one(
    'completions are stored first',
    'a completion that could not be stored does not acknowledge',
    'stored-completes',
    "settled !== 'lost'",
  ),
  one(
    'abandoned handlers keep their claim',
    'a handler that the batch went on without is left to its lease',
    'abandoned-keep-claims',
    (outcome) =>
      '(void attempt.scope.claims.store.settle([' +
      "{ end: 'release', key: attempt.key, owner: attempt.owner, releases: 0, retentionMs: 1_000_000 }" +
      `]), ${outcome})`,
  ),
  one(
    'dead letters before acknowledgement',
    'what the dead-letter queue did not take is handed back',
    'dead-letter-first',
  ),
  one(
    'records: broken off',
    'a handler that has seen its signal and returns is not done',
    'seen-abort',
    'true',
  ),
  one(
    'batches: broken off together',
    'what a batch handler has seen on one record it has seen on all',
    'seen-together',
    'this.#stop',
  ),
  one(
    'batches: no waiting for oneself',
    'a record joins those that a batch handler waits for only when its claim can be asked for',
    'busy-in-turn',
    (isNotInTurn) => `${isNotInTurn} && (claims.activity.busy += 1) > 0`,
  ),
  one(
    'batches: failures of records',
    'an error in the answer of a batch handler fails its record',
    'errors-of-records',
    'false',
  ),
  one(
    'batches: answers of another length',
    'an answer that cannot be told apart by records fails all of them',
    'answers-for-all',
    'answer !== undefined && !Array.isArray(answer)',
  ),
  one(
    'batches: leases',
    'a record that waited for the others starts only with a live lease',
    'gathered-leases',
    '(attempt) => ready.has(attempt) || !time.deadline.stop.aborted',
  ),
];
