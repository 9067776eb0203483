import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Claim } from '../../../src/claims/claim.ts';

/** What the invariants look at of a stored row. Read without the code under test. */
export interface ClaimRow {
  readonly status: string;
  readonly owner: string;
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
  /** Undefined where the attempt does not record its start. */
  readonly started: boolean | undefined;
  readonly leaseUntil: number;
  readonly expiresAt: number | undefined;
  readonly payloadHash: string | undefined;
}

export function rowOfClaim(claim: Claim): ClaimRow {
  const { status, owner, attempt, releases, crashes, started, leaseUntil, expiresAt, payloadHash } = claim;
  return { status, owner, attempt, releases, crashes, started, leaseUntil, expiresAt, payloadHash };
}

/** By the attribute names of the template's table. */
export function rowOfItem(item: Readonly<Record<string, AttributeValue>>): ClaimRow {
  const number = (name: string): number => Number(item[name]?.N ?? 0);
  const seconds = item['expiresAt']?.N;
  return {
    status: item['status']?.S ?? '',
    owner: item['owner']?.S ?? '',
    attempt: number('attempt'),
    releases: number('releases'),
    crashes: number('crashes'),
    started: item['started']?.BOOL,
    leaseUntil: number('leaseUntil'),
    expiresAt: seconds === undefined ? undefined : Number(seconds) * 1_000,
    payloadHash: item['payloadHash']?.S,
  };
}

export function showRow(row: ClaimRow | undefined): string {
  if (row === undefined) return 'absent';
  return `${row.status} attempt ${row.attempt} of ${row.owner}`;
}

export function isSameRow(a: ClaimRow | undefined, b: ClaimRow | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.status === b.status &&
    a.owner === b.owner &&
    a.attempt === b.attempt &&
    a.releases === b.releases &&
    a.crashes === b.crashes &&
    a.started === b.started &&
    a.leaseUntil === b.leaseUntil &&
    a.expiresAt === b.expiresAt &&
    a.payloadHash === b.payloadHash
  );
}
