import { describe, expect, it } from '@jest/globals';
import { type Claim, type PlannedChange, refusalOf } from 'batchlatch/operations';

const NOW = 1_000_000;

function claimWith(members: Partial<Claim>): Claim {
  return {
    key: 'orders#1',
    status: 'PARKED',
    owner: 'me',
    attempt: 2,
    releases: 0,
    crashes: 0,
    createdAt: 1,
    updatedAt: 1,
    leaseUntil: NOW - 1,
    expiresAt: NOW + 1,
    ...members,
  };
}

function whyOf(members: Partial<Claim>, change: Partial<PlannedChange> = {}): string | undefined {
  const claim = claimWith(members);
  return refusalOf(claim, { operation: 'release', seen: claim, ...change }, NOW);
}

describe('refusalOf', () => {
  it('gives no reason against a change that the store would make', () => {
    expect(whyOf({})).toBeUndefined();
    expect(whyOf({ status: 'COMPLETED' }, { operation: 'forget' })).toBeUndefined();
  });

  it('names what stands against a change', () => {
    expect(whyOf({ status: 'IN_PROGRESS', leaseUntil: NOW + 1 })).toBe('running');
    expect(whyOf({ status: 'COMPLETED' })).toBe('completed');
    expect(whyOf({}, { seen: { status: 'PARKED', owner: 'another', attempt: 2 } })).toBe('changed');
    expect(whyOf({ expiresAt: NOW - 1 })).toBe('absent');
    expect(refusalOf(undefined, { operation: 'park', seen: claimWith({}) }, NOW)).toBe('absent');
  });

  it('lets `force` through where a person may decide', () => {
    expect(whyOf({ status: 'IN_PROGRESS', leaseUntil: NOW + 1 }, { force: true })).toBeUndefined();
  });
});
