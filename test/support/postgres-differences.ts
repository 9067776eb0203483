import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Pool } from 'pg';
import type { Claim, ClaimStatus } from '../../src/claims/claim.ts';
import type { AcquireOutcome, ClaimRequest } from '../../src/claims/claim-store.ts';
import { acquired, decideAcquire } from '../../src/claims/transitions.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import type { PostgresPool } from '../../src/stores/postgres/pool.ts';
import { claimsIn } from '../../src/stores/postgres/postgres-store.ts';
import { readRows } from '../../src/stores/postgres/read.ts';
import { toClaim } from '../../src/stores/postgres/row.ts';
import { tableByClock } from './postgres-table.ts';

const NOW = Date.UTC(2026, 0, 1);

/** Near to now, on either side and exactly: where rules differ, they differ there. */
const aTime = fc.oneof(fc.constantFrom(NOW - 1, NOW, NOW + 1), fc.integer({ min: NOW - 5, max: NOW + 5 }));
const anOwner = fc.constantFrom('me', 'other');
const aHash = fc.constantFrom('a', 'b');
const aCount = fc.integer({ min: 0, max: 3 });
const aStatus = fc.constantFrom<ClaimStatus>('IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED');

const aRow = fc.record(
  {
    status: aStatus,
    owner: anOwner,
    attempt: fc.integer({ min: 1, max: 5 }),
    releases: aCount,
    crashes: aCount,
    leaseUntil: aTime,
    createdAt: aTime,
    updatedAt: aTime,
    started: fc.boolean(),
    expiresAt: aTime,
    completedAt: aTime,
    claimedAt: aTime,
    lockedBy: fc.constantFrom('a function', ''),
    payloadHash: aHash,
    recordId: fc.constant('record'),
    result: fc.constantFrom('null', '{"total":1}'),
    error: fc.constant({ name: 'Error', message: 'failed' }),
    history: fc.constant([
      {
        at: NOW - 9,
        operation: 'park' as const,
        operator: 'somebody',
        reason: 'a reason',
        from: { status: 'FAILED' as const, owner: 'other', attempt: 1 },
      },
    ]),
  },
  {
    requiredKeys: [
      ...(['status', 'owner', 'attempt', 'releases', 'crashes', 'leaseUntil'] as const),
      ...(['createdAt', 'updatedAt'] as const),
    ],
  },
);

const aRequest = fc.record(
  {
    owner: anOwner,
    leaseMs: fc.integer({ min: 0, max: 10 }),
    retentionMs: fc.integer({ min: 0, max: 10 }),
    payloadHash: aHash,
    lockedBy: fc.constant('another function'),
    recordId: fc.constantFrom('another record', 'x'.repeat(300)),
    recordsStart: fc.boolean(),
  },
  { requiredKeys: ['owner', 'leaseMs', 'retentionMs'] },
);

const aCase = fc.record({ row: fc.option(aRow, { nil: undefined }), request: aRequest });

interface Case {
  readonly stored: Claim | undefined;
  readonly request: ClaimRequest;
}

/** Rows at random and a request for each. */
export function casesFrom(seed: number, count: number): Case[] {
  return fc.sample(aCase, { seed, numRuns: count }).map(({ row, request }, index) => {
    const key = `${seed}-${index}`;
    return { stored: row && { key, ...row }, request: { key, ...request } };
  });
}

/** The same rows, asked for by requests that differ in key, owner, payload hash and record id alone. */
export function alike(cases: readonly Case[]): Case[] {
  const { leaseMs = 0, retentionMs = 0, lockedBy, recordsStart } = cases[0]?.request ?? {};
  return cases.map(({ stored, request: { key, owner, payloadHash, recordId } }) => ({
    stored,
    request: {
      key,
      owner,
      leaseMs,
      retentionMs,
      ...(payloadHash !== undefined && { payloadHash }),
      ...(recordId !== undefined && { recordId }),
      ...(lockedBy !== undefined && { lockedBy }),
      ...(recordsStart !== undefined && { recordsStart }),
    },
  }));
}

/**
 * Acquires all of them in one call, and compares outcomes and rows with what the state machine says. Rows are put
 * into the table by `pool`; the store uses its own.
 */
export async function assertSameAsTheStateMachine(
  cases: readonly Case[],
  storePool: PostgresPool,
  pool: Pool,
  tableName: string,
): Promise<void> {
  const clock = manualClock(NOW);
  const table = tableByClock(storePool, tableName, clock);
  await insertRows(
    cases.flatMap(({ stored }) => stored ?? []),
    pool,
    tableName,
  );
  const outcomes = await claimsIn(table).acquire(cases.map(({ request }) => request));
  const rows = await readRows(
    cases.map(({ request }) => request.key),
    table,
  );
  for (const [index, { stored, request }] of cases.entries()) {
    const found = rows.get(request.key);
    assert.deepEqual(
      { outcome: outcomes[index], row: found && toClaim(found.row) },
      expectedOf(stored, request),
      `${request.key}: ${JSON.stringify({ stored, request })}`,
    );
  }
}

function expectedOf(
  stored: Claim | undefined,
  request: ClaimRequest,
): { readonly outcome: AcquireOutcome; readonly row: Claim | undefined } {
  const decision = decideAcquire(stored, request, NOW);
  return 'outcome' in decision
    ? { outcome: decision.outcome, row: stored }
    : { outcome: acquired(decision.write, decision.tookOver), row: decision.write };
}

async function insertRows(claims: readonly Claim[], pool: Pool, table: string): Promise<void> {
  await pool.query(
    `INSERT INTO ${table} (key, status, owner, attempt, releases, crashes, started, payload_hash, locked_by, record_id,
       result, error, history, lease_until, expires_at, created_at, updated_at, completed_at, claimed_at)
     SELECT key, status, owner, attempt, releases, crashes, started, "payloadHash", "lockedBy", "recordId",
       result, error, history, ${[
         'leaseUntil',
         'expiresAt',
         'createdAt',
         'updatedAt',
         'completedAt',
         'claimedAt',
       ]
         .map((time) => `to_timestamp("${time}" / 1000.0)`)
         .join(', ')}
     FROM json_to_recordset($1::json) AS r (key text, status text, owner text, attempt int, releases int, crashes int,
       started boolean, "payloadHash" text, "lockedBy" text, "recordId" text, result text, error jsonb, history jsonb,
       "leaseUntil" float8, "expiresAt" float8, "createdAt" float8, "updatedAt" float8, "completedAt" float8,
       "claimedAt" float8)`,
    [JSON.stringify(claims)],
  );
}
