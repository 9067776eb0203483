import { describe, expect, it } from '@jest/globals';
import type { BatchProcessorOptions } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import type { ClaimStore } from '../../src/claims/claim-store.ts';
import { advanceUntil } from '../support/advance-until.ts';
import { bench, failed, ids, messages } from './bench.ts';

/** A run of 200 records of 10 ms each on a store that takes a batch of any size, and how many claims it was asked for at a time. */
async function sizesOf(options: BatchProcessorOptions, remainingTimeMs?: number): Promise<number[]> {
  const sizes: number[] = [];
  const b = bench((clock): ClaimStore => {
    const store = memoryStore({ clock });
    return {
      ...store,
      requestSize: 10_000,
      acquire(requests, callOptions) {
        sizes.push(requests.length);
        return store.acquire(requests, callOptions);
      },
    };
  });
  const run = b.processor(
    () =>
      new Promise<void>((resolve) => {
        b.clock.setTimer(resolve, 10);
      }),
    { concurrency: 5, ...options },
  );
  const lambda =
    remainingTimeMs === undefined ? undefined : lambdaContext({ remainingTimeMs, clock: b.clock });
  const answer = run(messages(...ids(200)), lambda);
  expect(failed(await advanceUntil(b.clock, answer))).toEqual([]);
  return sizes;
}

describe('A store that claims any number of keys in one request', () => {
  it('claims a whole batch at once where leases last as long as the invocation', async () => {
    expect(await sizesOf({}, 30_000)).toEqual([200]);
  });

  it('claims no more than 25 at a time where leases are shorter: they would lapse while they wait', async () => {
    const sizes = await sizesOf({ leaseMs: 100 }, 30_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(200);
    expect(Math.max(...sizes)).toBe(25);
  });

  it('claims no more than 25 at a time where nobody knows when the invocation ends', async () => {
    expect(Math.max(...(await sizesOf({})))).toBe(25);
  });
});
