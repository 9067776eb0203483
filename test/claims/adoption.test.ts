import { describe, expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch';
import { isAdopted } from '../../src/claims/adoption.ts';

const NOW = 1_000_000;
const FAILED: Claim = {
  key: 'k',
  status: 'FAILED',
  owner: 'a',
  attempt: 2,
  releases: 0,
  crashes: 0,
  createdAt: 1_000,
  updatedAt: 5_000,
  leaseUntil: 6_000,
  expiresAt: NOW + 1,
};
const LIVE = { status: 'IN_PROGRESS', leaseUntil: NOW + 1 } as const;

describe('A claim of another store', () => {
  it.each<[string, Partial<Claim> | undefined, Partial<Claim>, boolean]>([
    ['where there is no row', undefined, {}, true],
    ['over a row that is past its retention', { expiresAt: NOW, createdAt: 7 }, {}, true],
    ['over itself', {}, {}, false],
    ['over the row of another claim', { createdAt: 999, attempt: 1 }, { status: 'COMPLETED' }, false],
    ['over an earlier attempt', { attempt: 1, owner: 'b', updatedAt: 9_000 }, {}, true],
    ['over a later attempt', { attempt: 3 }, {}, false],
    ['over an earlier change of the same attempt', { owner: 'b', updatedAt: 4_999 }, {}, true],
    ['over a later change of the same attempt', { owner: 'b', updatedAt: 5_001 }, {}, false],
    ['over the same attempt before its end', { ...LIVE, updatedAt: 5_000 }, {}, true],
    ['over its end', { status: 'FAILED' }, { ...LIVE }, false],
    ['over what is completed', { status: 'COMPLETED', attempt: 1 }, {}, false],
    ['over who runs it now', { ...LIVE, owner: 'b', attempt: 1 }, { status: 'COMPLETED' }, false],
    ['over who ran it and died', { ...LIVE, leaseUntil: NOW, owner: 'b', attempt: 1 }, {}, true],
  ])('is written %s, or not', (_what, stored, claim, expected) => {
    const row = stored === undefined ? undefined : { ...FAILED, ...stored };
    expect(isAdopted(row, { ...FAILED, ...claim }, NOW)).toBe(expected);
  });
});
