import type { Table } from '../../template/model.ts';
import { claimsTables, keyIsId } from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import type { Rules } from './rule.ts';

const EXPIRY = 'expiresAt';
/** The attributes of Powertools' idempotency utility, for tables that it shares with batchlatch. */
const POWERTOOLS_EXPIRY = 'expiration';
const POWERTOOLS_LEASE = 'in_progress_expiration';
const OVERDUE_KEY = 'overdueShard';

/** Rules for claims tables. */
export const CLAIMS_TABLE_RULES: Rules = {
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
    why: 'No row is ever deleted: the table and its cost grow for ever.',
    fix: '`TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }`',
    docs: 'policies/retention.md',
  },
  'ttl-attribute': {
    severity: 'error',
    what:
      'a claims table with its TTL on another attribute than ' +
      "`expiresAt` (an info for Powertools' `expiration`)",
    why: 'No row is ever deleted: the table and its cost grow for ever.',
    fix: '`TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }`',
    docs: 'policies/retention.md',
  },
  'claims-table-without-recovery': {
    severity: 'warning',
    what: 'a claims table without point-in-time recovery',
    why: 'Rows deleted by mistake are gone, and their work runs again.',
    fix: '`PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }`',
  },
  'claims-table-without-deletion-protection': {
    severity: 'warning',
    what: 'a claims table without deletion protection',
    why: 'One wrong call deletes the table, and completed records run again.',
    fix: '`DeletionProtectionEnabled: true`',
  },
  'claims-table-not-retained': {
    severity: 'warning',
    what: 'a claims table that is deleted with its stack, or when it is replaced',
    why: 'Without its claims, completed records run again.',
    fix: '`DeletionPolicy: Retain` and `UpdateReplacePolicy: Retain`',
  },
  'claims-table-in-several-regions': {
    severity: 'error',
    what: 'a claims table that is a global table in more than one Region',
    why:
      'Claims reach other Regions late, so functions in two Regions can run one record at the ' +
      'same time.',
    fix: 'one Region; or functions in one Region only, and `ignore` for this rule',
  },
  'overdue-index-missing': {
    severity: 'info',
    what: 'a claims table without the index of overdue claims',
    why: 'Queries for overdue or parked claims read and pay for the whole table.',
    fix: 'the index `overdue` on the table; functions write for it already',
  },
};

export function checkClaimsTables(examination: Examination): void {
  for (const table of claimsTables(examination)) {
    examination.checked('claims table', table);
    checkKey(examination, table);
    checkTimeToLive(examination, table);
    checkSafety(examination, table);
    checkRegions(examination, table);
    checkIndex(examination, table);
  }
}

function checkKey(examination: Examination, table: Table): void {
  const key = examination.known(table, 'KeySchema', table.key);
  if (key === undefined) return;
  const type = key[0]?.type;
  if (keyIsId(table) && (type === 'S' || type === undefined)) return;
  const found = key.map(({ name, type }) => `${name}${type === undefined ? '' : ` (${type})`}`).join(', ');
  examination.report('claims-table-key', table, {
    message: `${table.name} has the key ${found || 'of no attribute'}, and not \`id\` (S) alone.`,
    fix: [
      'AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]',
      'KeySchema: [{ AttributeName: id, KeyType: HASH }]',
    ],
    line: table.key.line,
  });
}

function checkTimeToLive(examination: Examination, table: Table): void {
  const ttl = examination.known(table, 'TimeToLiveSpecification', table.ttl);
  if (table.ttl.unknown !== undefined) return;
  const { isPowertools: isSaid = false } = examination.model;
  const expiry = isSaid ? POWERTOOLS_EXPIRY : EXPIRY;
  const fix = `TimeToLiveSpecification: { AttributeName: ${expiry}, Enabled: true }`;
  const isEnabled = ttl === undefined ? false : examination.known(table, 'TTL Enabled', ttl.isEnabled);
  if (isEnabled === undefined) return;
  if (ttl === undefined || !isEnabled) {
    examination.report('ttl-off', table, {
      message: `${table.name} has no TTL${ttl === undefined ? '' : ' that is enabled'}.`,
      fix: ofFullTable(table, [fix]),
      line: table.ttl.line,
    });
  } else if (ttl.attribute === undefined || ttl.attribute === '<?>') {
    examination.cannotJudge(`${table.name}, TimeToLiveSpecification: its attribute cannot be told`);
  } else if (ttl.attribute !== expiry) {
    const isPowertools = ttl.attribute === POWERTOOLS_EXPIRY;
    examination.report('ttl-attribute', table, {
      message: isPowertools
        ? `${table.name} has its TTL on \`${POWERTOOLS_EXPIRY}\`, which is ` +
          'right only with `attributes: powertoolsAttributes`.'
        : `${table.name} has its TTL on \`${ttl.attribute}\`, and not on \`${expiry}\`.`,
      fix,
      line: table.ttl.line,
      ...(isPowertools && { severity: 'info' as const }),
    });
  }
}

function checkSafety(examination: Examination, table: Table): void {
  if (examination.known(table, 'PointInTimeRecoveryEnabled', table.hasPointInTimeRecovery) === false) {
    examination.report('claims-table-without-recovery', table, {
      message: `${table.name} has no point-in-time recovery.`,
      fix: ofReplicas(table, ['PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }']),
      line: table.hasPointInTimeRecovery.line,
    });
  }
  if (examination.known(table, 'DeletionProtectionEnabled', table.hasDeletionProtection) === false) {
    examination.report('claims-table-without-deletion-protection', table, {
      message: `${table.name} is not protected against deletion.`,
      fix: ofReplicas(table, ofFullTable(table, ['DeletionProtectionEnabled: true'])),
      line: table.hasDeletionProtection.line,
    });
  }
  if (
    table.isRetained !== undefined &&
    examination.known(table, 'DeletionPolicy', table.isRetained) === false
  ) {
    examination.report('claims-table-not-retained', table, {
      message: `${table.name} does not outlive its stack, or is deleted when it is replaced.`,
      fix: ['DeletionPolicy: Retain', 'UpdateReplacePolicy: Retain'],
      fixBelongsTo: 'resource',
      line: table.isRetained.line,
    });
  }
}

function checkRegions(examination: Examination, table: Table): void {
  const regions = examination.known(table, 'Replicas', table.regions) ?? 1;
  if (regions <= 1) return;
  examination.report('claims-table-in-several-regions', table, {
    message: `${table.name} is in ${regions} Regions.`,
    fix: '# one entry in Replicas',
    line: table.regions.line,
  });
}

function checkIndex(examination: Examination, table: Table): void {
  const keys = examination.known(table, 'GlobalSecondaryIndexes', table.indexKeys);
  if (keys === undefined || keys.includes(OVERDUE_KEY)) return;
  const lease = examination.model.isPowertools === true ? POWERTOOLS_LEASE : 'leaseUntil';
  examination.report('overdue-index-missing', table, {
    message: `${table.name} has no index of overdue claims.`,
    fix: ofFullTable(table, [
      'AttributeDefinitions:',
      '  - { AttributeName: id, AttributeType: S }',
      `  - { AttributeName: ${OVERDUE_KEY}, AttributeType: S }`,
      `  - { AttributeName: ${lease}, AttributeType: N }`,
      'GlobalSecondaryIndexes:',
      '  - IndexName: overdue',
      '    KeySchema:',
      `      - { AttributeName: ${OVERDUE_KEY}, KeyType: HASH }`,
      `      - { AttributeName: ${lease}, KeyType: RANGE }`,
      '    Projection: { ProjectionType: KEYS_ONLY }',
    ]),
  });
}

/** Returns the lines of a fix, with a note where the table's type cannot have them. */
function ofReplicas({ isGlobal = false }: Table, lines: readonly string[]): readonly string[] {
  return isGlobal ? ['# in each entry of Replicas', ...lines] : lines;
}

function ofFullTable({ isSimple = false }: Table, lines: readonly string[]): readonly string[] {
  const note = '# an AWS::Serverless::SimpleTable cannot have it: make an AWS::DynamoDB::Table of it';
  return isSimple ? [note, ...lines] : lines;
}
