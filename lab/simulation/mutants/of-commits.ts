import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** Effects that are written together with their completion. */
export const mutantsOfCommits: readonly Mutant[] = [
  one(
    'commit: the owner condition',
    "a transaction needs the claim to be its owner's",
    'dynamodb-commit-owner',
    'updateExpressions({ ...changing({ key: claimKey, owner, change }, format), ' +
      "where: { [format.names.status]: { S: 'IN_PROGRESS' } } })",
  ),
  {
    name: 'commit: the lost-answer rule',
    takesOut: 'the same transaction sent again is known by its token, or by the row',
    changes: [
      {
        rule: 'dynamodb-commit-token',
        value:
          "await transport.send('TransactWriteItems', { ...input, ClientRequestToken: String(Math.random()) })",
      },
      { rule: 'dynamodb-own-commit', removed: true },
    ],
  },
  one(
    'commit: refusals after silence',
    'a refusal is final only when no earlier sending can still arrive',
    'dynamodb-refused-commit',
    (_, [isRefused]) => `${isRefused}`,
  ),
  one(
    'commit: cancelled transactions',
    'a transaction that was cancelled in passing is not written',
    'dynamodb-cancelled-commit',
    "{ kind: 'stored' }",
  ),
  one('commit: nothing after it', 'a committed attempt is not settled again', 'committed-is-over', 'false'),
  one(
    'commit: no success over an unknown one',
    'a handler that goes on after a commit of unknown outcome has not succeeded',
    'unknown-commit-fails',
    'true',
  ),
  one(
    'commit: the row decides',
    'a record whose commit went unanswered is completed when its row says so',
    'row-decides-commit',
    'false',
  ),
  one(
    'commit: once in a run',
    'nothing else is committed after a commit of unknown outcome',
    'one-commit',
    (isTaken) => `${isTaken} && this.#state !== 'failed'`,
  ),
];
