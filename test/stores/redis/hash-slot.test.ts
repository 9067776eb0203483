import { expect, it } from '@jest/globals';
import { hashSlot } from '../../../src/stores/redis/hash-slot.ts';

// The answers of CLUSTER KEYSLOT (Redis 7).
it.each([
  ['123456789', 12_739],
  ['{user1000}.following', 3_443],
  ['user1000', 3_443],
  ['foo{}{bar}', 8_363],
  ['{}{abc}', 7_878],
  ['foo{{bar}}zap', 4_015],
  ['foo{bar}{zap}', 5_061],
  ['a{b', 13_340],
  ['é😀', 14_663],
])('%j is in the slot %i', (key, slot) => {
  expect(hashSlot(key)).toBe(slot);
});
