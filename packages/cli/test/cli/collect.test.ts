import { expect, it } from '@jest/globals';
import type { Claim, ClaimPage } from 'batchlatch/operations';
import { collect } from '../../src/cli/claims/collect.ts';

const screen = { progress: () => undefined } as unknown as Parameters<typeof collect>[2]['screen'];
const pageOf = (attempts: Readonly<Record<string, number>>, next?: string): ClaimPage => ({
  claims: Object.entries(attempts).map(([key, attempt]) => ({ key, attempt }) as Claim),
  readBy: 'scan',
  rowsRead: 2,
  ...(next !== undefined && { next }),
});

it('has a claim once, as it was read last, and counts it once', async () => {
  const pages = [pageOf({ a: 1, b: 1 }, 'second'), pageOf({ b: 2, c: 1 }, 'third'), pageOf({ d: 1 })];
  const limits: number[] = [];
  const { claims, next, rowsRead } = await collect(
    async ({ limit }) => {
      limits.push(limit);
      return pages.shift() as ClaimPage;
    },
    4,
    { screen },
  );
  expect(claims.map(({ key, attempt }) => `${key}${attempt}`)).toEqual(['a1', 'b2', 'c1', 'd1']);
  expect({ next, rowsRead, limits }).toEqual({ next: undefined, rowsRead: 6, limits: [4, 2, 1] });
});
