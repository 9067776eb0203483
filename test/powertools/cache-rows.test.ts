import { describe, expect, it } from '@jest/globals';
import type { Claim } from '../../src/claims/claim.ts';
import { cacheRows } from '../../src/powertools/cache-writer.ts';

const completed: Claim = {
  key: 'k',
  status: 'COMPLETED',
  owner: 'o',
  attempt: 1,
  releases: 0,
  crashes: 0,
  leaseUntil: 1,
  createdAt: 1,
  updatedAt: 1,
};

describe("A result in Powertools' cache", () => {
  it.each([
    ['{"chargeId":"c","amount":1.5}', true],
    ['[1e+300]', true],
    ['{"id":12345678901234567890}', false],
    ['[0.1234567890123456789]', false],
    ['not JSON', false],
  ])('is read as it was written: %s; Powertools replays it: %p', (result, isReplayed) => {
    const { toText, toClaim } = cacheRows({});
    const text = toText({ ...completed, result });
    expect(toClaim('k', text).result).toBe(result);
    expect('data' in (JSON.parse(text) as object)).toBe(isReplayed);
  });
});
