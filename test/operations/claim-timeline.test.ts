import { describe, expect, it } from '@jest/globals';
import type { Claim, OperatorChange } from '../../src/claims/claim.ts';
import { claimTimeline } from '../../src/operations/claim-timeline.ts';

const CLAIM: Claim = {
  key: 'orders#1',
  status: 'IN_PROGRESS',
  owner: 'o',
  attempt: 1,
  releases: 0,
  crashes: 0,
  leaseUntil: 1_000,
  createdAt: 100,
  updatedAt: 100,
};
const ERROR = { name: 'Error', message: 'no' };
const change = (members: Partial<OperatorChange>): OperatorChange => ({
  at: 300,
  operation: 'release',
  operator: 'ann',
  reason: 'fixed',
  from: { status: 'PARKED', owner: 'o', attempt: 1 },
  ...members,
});
const kinds = (claim: Partial<Claim>, now = 500): unknown[] =>
  claimTimeline({ ...CLAIM, ...claim }, now).map(({ kind, at }) => [kind, at]);

describe('claimTimeline', () => {
  it.each<[string, Partial<Claim>, unknown[]]>([
    ['runs', {}, [['claimed', 100]]],
    [
      'is overdue',
      { leaseUntil: 400 },
      [
        ['claimed', 100],
        ['lapsed', 400],
      ],
    ],
    [
      'is completed',
      { status: 'COMPLETED', completedAt: 200 },
      [
        ['claimed', 100],
        ['completed', 200],
      ],
    ],
    [
      'failed',
      { status: 'FAILED', updatedAt: 200, error: ERROR },
      [
        ['claimed', 100],
        ['failed', 200],
      ],
    ],
    [
      'is parked',
      { status: 'PARKED', updatedAt: 200 },
      [
        ['claimed', 100],
        ['parked', 200],
      ],
    ],
    [
      'was claimed again',
      { attempt: 3, claimedAt: 400, status: 'COMPLETED', completedAt: 450 },
      [
        ['claimed', 100],
        ['claimed', 400],
        ['completed', 450],
      ],
    ],
    [
      'was released by a person',
      { status: 'FAILED', updatedAt: 300, history: [change({})] },
      [
        ['claimed', 100],
        ['changed', 300],
      ],
    ],
    [
      'was resolved by a person',
      { status: 'COMPLETED', completedAt: 300, updatedAt: 300, history: [change({ operation: 'resolve' })] },
      [
        ['claimed', 100],
        ['changed', 300],
      ],
    ],
    [
      'was released and completed by machines whose clocks are behind',
      { attempt: 2, claimedAt: 50, status: 'COMPLETED', completedAt: 60, history: [change({})] },
      [
        ['claimed', 100],
        ['changed', 300],
        ['claimed', 50],
        ['completed', 60],
      ],
    ],
    [
      'has a history that somebody forged',
      {
        history: [
          'x',
          null,
          { at: 1 },
          change({ from: { status: 'PARKED', owner: 'o', attempt: Number.NaN } }),
        ] as never,
      },
      [
        ['changed', 300],
        ['claimed', 100],
      ],
    ],
  ])('of a claim that %s', (_what, claim, expected) => {
    expect(kinds(claim)).toEqual(expected);
  });

  it('says who runs the latest attempt, and whether it took over from one that died', () => {
    const claim = { ...CLAIM, attempt: 2, crashes: 1, claimedAt: 200, lockedBy: 'OrdersFunction:1 abc' };
    expect(claimTimeline(claim, 500)).toEqual([
      { kind: 'claimed', at: 100, attempt: 1 },
      { kind: 'claimed', at: 200, attempt: 2, lockedBy: 'OrdersFunction:1 abc', tookOver: true },
    ]);
  });
});
