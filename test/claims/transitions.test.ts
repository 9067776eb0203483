import { describe, expect, it } from '@jest/globals';
import type { Claim, ClaimRequest, ClaimStatus, Settlement } from 'batchlatch';
import {
  changeOfExtension,
  changeOfSettlement,
  decideAcquire,
  firstClaim,
  isAlreadySettled,
  isForgotten,
  isOwnedBy,
} from '../../src/claims/transitions.ts';

const NOW = 1_000_000;
const ERROR = { name: 'Error', message: 'card declined' };
const REQUEST: ClaimRequest = { key: 'k', owner: 'me', leaseMs: 30_000, retentionMs: 3_600_000 };

function claim(status: ClaimStatus, members: Partial<Claim> = {}): Claim {
  return {
    key: 'k',
    status,
    owner: 'other',
    attempt: 3,
    releases: 1,
    crashes: 1,
    leaseUntil: NOW + 1,
    expiresAt: NOW + 3_600_000,
    createdAt: NOW - 5_000,
    updatedAt: NOW - 1_000,
    ...members,
  };
}

describe('acquire', () => {
  const asFirst = { attempt: 1, releases: 0, crashes: 0, createdAt: NOW };
  const asNext = { attempt: 4, releases: 1, createdAt: NOW - 5_000 };

  it.each<[string, Claim | undefined, Partial<Claim>, boolean]>([
    ['absent', undefined, asFirst, false],
    ['IN_PROGRESS, lease lapsed', claim('IN_PROGRESS', { leaseUntil: NOW }), { ...asNext, crashes: 2 }, true],
    ['FAILED', claim('FAILED', { error: ERROR, crashes: 0 }), { ...asNext, crashes: 0 }, false],
    ['FAILED by a release', claim('FAILED', { crashes: 2 }), { ...asNext, crashes: 2 }, false],
    ['COMPLETED, retention over', claim('COMPLETED', { expiresAt: NOW }), asFirst, false],
    ['FAILED, retention over', claim('FAILED', { expiresAt: NOW }), asFirst, false],
    [
      'IN_PROGRESS, retention over',
      claim('IN_PROGRESS', { leaseUntil: NOW - 9, expiresAt: NOW }),
      asFirst,
      false,
    ],
  ])('of %s writes a claim of my own', (_stored, stored, history, tookOver) => {
    expect(decideAcquire(stored, REQUEST, NOW)).toEqual({
      write: {
        key: 'k',
        status: 'IN_PROGRESS',
        owner: 'me',
        leaseUntil: NOW + 30_000,
        expiresAt: NOW + 30_000 + 3_600_000,
        updatedAt: NOW,
        ...((history.attempt ?? 1) > 1 && { claimedAt: NOW }),
        ...history,
      },
      tookOver,
    });
  });

  it.each<[string, Claim, Partial<ClaimRequest>, unknown]>([
    [
      'IN_PROGRESS, lease live',
      claim('IN_PROGRESS'),
      {},
      { status: 'conflict', leaseUntil: NOW + 1, attempt: 3 },
    ],
    [
      'IN_PROGRESS, my own, answer lost',
      claim('IN_PROGRESS', { owner: 'me' }),
      {},
      { status: 'acquired', attempt: 3, releases: 1, crashes: 1, leaseUntil: NOW + 1, tookOver: false },
    ],
    [
      'IN_PROGRESS, my own, even when the lease is over by now',
      claim('IN_PROGRESS', { owner: 'me', leaseUntil: NOW - 1 }),
      {},
      { status: 'acquired', attempt: 3, releases: 1, crashes: 1, leaseUntil: NOW - 1, tookOver: false },
    ],
    ['COMPLETED', claim('COMPLETED'), {}, { status: 'duplicate', expiresAt: NOW + 3_600_000 }],
    [
      'COMPLETED with a result',
      claim('COMPLETED', { result: '7', completedAt: NOW - 3 }),
      {},
      { status: 'duplicate', result: '7', completedAt: NOW - 3, expiresAt: NOW + 3_600_000 },
    ],
    [
      'COMPLETED by my own owner',
      claim('COMPLETED', { owner: 'me' }),
      {},
      { status: 'duplicate', expiresAt: NOW + 3_600_000 },
    ],
    ['PARKED', claim('PARKED', { error: ERROR }), {}, { status: 'parked', error: ERROR }],
    [
      'IN_PROGRESS, other payload',
      claim('IN_PROGRESS', { payloadHash: 'b' }),
      { payloadHash: 'a' },
      MISMATCH(),
    ],
    [
      'IN_PROGRESS, lease lapsed, other payload',
      claim('IN_PROGRESS', { payloadHash: 'b', leaseUntil: NOW }),
      { payloadHash: 'a' },
      MISMATCH(),
    ],
    ['FAILED, other payload', claim('FAILED', { payloadHash: 'b' }), { payloadHash: 'a' }, MISMATCH()],
    ['COMPLETED, other payload', claim('COMPLETED', { payloadHash: 'b' }), { payloadHash: 'a' }, MISMATCH()],
    ['PARKED, other payload', claim('PARKED', { payloadHash: 'b' }), { payloadHash: 'a' }, MISMATCH()],
    [
      'COMPLETED, same payload',
      claim('COMPLETED', { payloadHash: 'a' }),
      { payloadHash: 'a' },
      { status: 'duplicate', expiresAt: NOW + 3_600_000 },
    ],
    [
      'COMPLETED, validation off by now',
      claim('COMPLETED', { payloadHash: 'b' }),
      {},
      { status: 'duplicate', expiresAt: NOW + 3_600_000 },
    ],
    [
      'COMPLETED, validation off back then',
      claim('COMPLETED'),
      { payloadHash: 'a' },
      { status: 'duplicate', expiresAt: NOW + 3_600_000 },
    ],
  ])('of %s changes nothing', (_stored, stored, members, outcome) => {
    expect(decideAcquire(stored, { ...REQUEST, ...members }, NOW)).toEqual({ outcome });
  });

  it('keeps who locked it and its payload hash, of the new attempt only', () => {
    const stored = claim('FAILED', {
      lockedBy: 'old',
      payloadHash: 'a',
      error: ERROR,
      result: '1',
      completedAt: 1,
    });
    const lockedBy = 'orders:7 request';
    const decision = decideAcquire(stored, { ...REQUEST, lockedBy, payloadHash: 'a' }, NOW);
    expect(decision).toMatchObject({ write: { lockedBy, payloadHash: 'a' } });
    expect(decideAcquire(stored, REQUEST, NOW)).not.toHaveProperty('write.lockedBy');
    for (const rest of ['error', 'result', 'completedAt'])
      expect(decision).not.toHaveProperty(`write.${rest}`);
  });

  it('leaves a lapsed lease alone for the tolerance, and not a millisecond longer', () => {
    const stored = claim('IN_PROGRESS', { leaseUntil: NOW, expiresAt: NOW });
    expect(decideAcquire(stored, REQUEST, NOW + 999, 1_000)).toMatchObject({
      outcome: { status: 'conflict' },
    });
    expect(decideAcquire(stored, REQUEST, NOW + 1_000, 1_000)).toHaveProperty('write');
  });

  function MISMATCH(): unknown {
    return { status: 'mismatch' };
  }
});

describe('settle', () => {
  const own = { key: 'k', owner: 'me' };
  const complete: Settlement = { ...own, end: 'complete', result: '7', retentionMs: 60_000 };
  const fail: Settlement = { ...own, end: 'fail', error: ERROR, retentionMs: 60_000 };
  const park: Settlement = { ...own, end: 'park', error: ERROR, retentionMs: 60_000 };
  const release: Settlement = { ...own, end: 'release', releases: 2, retentionMs: 60_000 };
  const remembered = { updatedAt: NOW, expiresAt: NOW + 60_000 };

  it.each<[string, Settlement, unknown]>([
    ['complete', complete, { status: 'COMPLETED', result: '7', completedAt: NOW, ...remembered }],
    ['fail', fail, { status: 'FAILED', error: ERROR, crashes: 0, ...remembered }],
    ['park', park, { status: 'PARKED', error: ERROR, ...remembered }],
    ['release', release, { status: 'FAILED', releases: 3, ...remembered }],
  ])('(%s) changes what its end means, and neither owner nor attempt', (_end, settlement, change) => {
    expect(changeOfSettlement(settlement, NOW)).toStrictEqual(change);
  });

  it('completes without a result where there is none', () => {
    const { result: _result, ...withoutResult } = complete as Settlement & { result: string };
    expect(changeOfSettlement(withoutResult as Settlement, NOW)).not.toHaveProperty('result');
  });

  it('prolongs a lease from now, and the retention with it', () => {
    expect(changeOfExtension({ ...own, leaseMs: 5_000, retentionMs: 60_000 }, NOW)).toEqual({
      leaseUntil: NOW + 5_000,
      expiresAt: NOW + 65_000,
      updatedAt: NOW,
    });
  });

  it.each<[string, Claim | undefined, boolean]>([
    ['IN_PROGRESS and mine', claim('IN_PROGRESS', { owner: 'me' }), true],
    [
      'IN_PROGRESS and mine, though the lease is over',
      claim('IN_PROGRESS', { owner: 'me', leaseUntil: 0 }),
      true,
    ],
    ["IN_PROGRESS and another's", claim('IN_PROGRESS'), false],
    ['COMPLETED by me', claim('COMPLETED', { owner: 'me' }), false],
    ['FAILED by me', claim('FAILED', { owner: 'me' }), false],
    ['PARKED by me', claim('PARKED', { owner: 'me' }), false],
    ['absent', undefined, false],
  ])('needs a row that is mine: %s', (_stored, stored, expected) => {
    expect(isOwnedBy(stored, 'me')).toBe(expected);
  });

  const mine = { owner: 'me' };
  const ends = { complete, fail, park, release };
  it.each<[string, Claim | undefined, (keyof typeof ends)[]]>([
    ['absent', undefined, []],
    ['IN_PROGRESS', claim('IN_PROGRESS', mine), []],
    ['COMPLETED', claim('COMPLETED', mine), ['complete']],
    ['PARKED', claim('PARKED', { ...mine, error: ERROR }), ['park']],
    ['FAILED with an error', claim('FAILED', { ...mine, error: ERROR }), ['fail']],
    ['FAILED without an error', claim('FAILED', mine), ['release']],
    ["COMPLETED, another's", claim('COMPLETED'), []],
    ["FAILED, another's", claim('FAILED', { error: ERROR }), []],
  ])('that was sent before and stored shows in the row: %s', (_stored, stored, expected) => {
    const shown = Object.entries(ends).filter(([, settlement]) => isAlreadySettled(stored, settlement));
    expect(shown.map(([end]) => end)).toEqual(expected);
  });
});

describe('retention', () => {
  it.each([
    [NOW + 1, false],
    [NOW, true],
    [NOW - 1, true],
  ])('that ends at %d is over at 1000000: %p', (expiresAt, expected) => {
    expect(isForgotten(claim('COMPLETED', { expiresAt }), NOW)).toBe(expected);
  });

  it('has no end for a row that says of none, as Powertools may write it', () => {
    const { expiresAt: _expiresAt, ...theirs } = claim('COMPLETED');
    expect(isForgotten(theirs, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  it('of a first claim begins after its lease', () => {
    expect(firstClaim(REQUEST, NOW).expiresAt).toBe(NOW + REQUEST.leaseMs + REQUEST.retentionMs);
  });
});
