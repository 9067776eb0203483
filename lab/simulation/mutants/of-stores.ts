import { type Mutant, one } from '../../../lab/rules/mutant.ts';

/** The conditions that stores write on, and what they make of answers. */
export const mutantsOfStores: readonly Mutant[] = [
  one(
    'owner condition (DynamoDB)',
    'the WHERE of a settlement names the owner',
    'dynamodb-owner',
    "() => ({ [names.status]: { S: 'IN_PROGRESS' } })",
  ),
  one(
    'takeover condition',
    'a takeover is written only over the row that was read',
    'dynamodb-as-read',
    '(row) => pick(row, [names.status])',
  ),
  {
    name: 'leases only grow',
    takesOut: 'an extension never makes the lease shorter',
    changes: [
      { rule: 'growing-extension', value: 'minimumMs' },
      { rule: 'growing-leases', value: 'changeOf(extension, change)' },
      { rule: 'memory-growing-leases', value: 'true' },
    ],
  },
  one(
    'late extensions',
    'an extension that arrives after a later one changes nothing',
    'growing-leases',
    'changeOf(extension, change)',
  ),
  one('consistent reads', 'rows are read strongly consistently', 'dynamodb-consistent-reads', 'false'),
  one(
    'statement errors',
    'a statement that failed inside a successful request is not written',
    'failed-statements',
    (error) => `isPassing(code) ? WRITTEN : ${error}`,
  ),
  one(
    'refused writes',
    'a refused write is looked at again',
    'refused-writes',
    (isWritten) => `${isWritten} || (write?.status === 'refused' && write.row === undefined)`,
  ),
  one(
    'seconds and milliseconds',
    "the TTL's seconds become milliseconds when a row is read",
    'dynamodb-ttl',
    (seconds) => `((seconds) => seconds && seconds / 1_000)(${seconds})`,
  ),
  one(
    'rejected calls',
    'of a settle call that was rejected nothing is known to be stored',
    'rejected-settle',
    "settlements.map(() => 'stored')",
  ),
];
