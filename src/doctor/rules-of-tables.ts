import type { Rule } from './rule.ts';

/** What can be wrong with the claims table. */
export const TABLE_RULES: Readonly<Record<string, Rule>> = {
  'claims-table-key': {
    severity: 'error',
    what: 'a claims table whose key is not `id` (a string) alone',
    why: 'Every claim is refused by DynamoDB, and no record runs.',
    fix: 'the partition key `id` of type `S`, and no sort key',
    docs: 'deploying.md#what-a-function-needs',
  },
  'ttl-off': {
    severity: 'error',
    what: 'a claims table without TTL',
    why: 'No row is ever deleted: the table, and what it costs, grow for ever.',
    fix: '`TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }`',
    docs: 'policies/retention.md',
  },
  'ttl-attribute': {
    severity: 'error',
    what: "a claims table with its TTL on another attribute than `expiresAt` (an info for Powertools' `expiration`)",
    why: 'DynamoDB deletes no row of batchlatch: the table, and what it costs, grow for ever.',
    fix: '`TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }`',
    docs: 'policies/retention.md',
  },
  'retention-shorter-than-queue': {
    severity: 'error',
    what: 'claims that are forgotten before the queue deletes its messages (a warning where `retentionMs` cannot be seen and would be 4 days by default)',
    why: 'A message that comes again after its claim was forgotten runs a second time.',
    fix: '`retentionMs` of at least the retention of the queue',
    docs: 'policies/retention.md',
  },
  'claims-table-without-recovery': {
    severity: 'warning',
    what: 'a claims table without point-in-time recovery',
    why: 'Rows that were deleted or overwritten by mistake are gone, and their work runs again.',
    fix: '`PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }`',
  },
  'claims-table-without-deletion-protection': {
    severity: 'warning',
    what: 'a claims table without deletion protection',
    why: 'One wrong call deletes the table. Without its claims, the next delivery of a completed record runs it again.',
    fix: '`DeletionProtectionEnabled: true`',
  },
  'claims-table-not-retained': {
    severity: 'warning',
    what: 'a claims table that is deleted with its stack, or when it is replaced',
    why: 'Without its claims, the next delivery of a completed record runs it again.',
    fix: '`DeletionPolicy: Retain` and `UpdateReplacePolicy: Retain`',
  },
  'claims-table-in-several-regions': {
    severity: 'error',
    what: 'a claims table that is a global table in more than one Region',
    why: 'A claim that is written in one Region is not seen in another at once, so functions in two Regions can run the same record at the same time.',
    fix: 'one Region; or functions in one Region only, and `ignore` for this rule',
  },
  'overdue-index-missing': {
    severity: 'info',
    what: 'a claims table without the index of overdue claims',
    why: 'Whoever looks for overdue or parked claims has to scan the table, and pays for all of its rows.',
    fix: 'the index `overdue` on the table; functions write for it already',
  },
};
