import { describe, expect, test } from '@jest/globals';
import { billOf, computeUsd, durationMs, MEMORY_MB } from '../../lab/bench/bill.ts';
import { PRICES, PRICES_AS_OF } from '../../lab/bench/prices.ts';

const usage = { size: 10, writeUnitsPerRecord: 2, readUnitsPerRecord: 0.1, wallMs: 5, cpuMicros: 0 };

describe('the bill of a million records', () => {
  test('adds up writes, reads, compute, invocations and queue requests', () => {
    const { writes, reads, compute, invocations, queue, total } = billOf(usage);
    expect(writes).toBeCloseTo(1.25);
    expect(reads).toBeCloseTo(0.0125);
    expect(compute).toBeCloseTo(100_000 * 0.005 * (MEMORY_MB / 1_024) * PRICES.gigabyteSecond.usd);
    expect(invocations).toBeCloseTo(0.02);
    expect(queue).toBeCloseTo(0.08);
    expect(total).toBeCloseTo(writes + reads + compute + invocations + queue);
  });

  test('large batches need fewer invocations, and as many requests to the queue', () => {
    const { invocations, queue } = billOf({ ...usage, size: 1_000 });
    expect(invocations).toBeCloseTo(0.0002);
    expect(queue).toBeCloseTo(0.08);
  });

  test('a started millisecond is billed whole', () => {
    expect(billOf({ ...usage, wallMs: 4.1 }).compute).toBe(billOf(usage).compute);
    expect(computeUsd(1_000)).toBeCloseTo((MEMORY_MB / 1_024) * 0.0000166667);
  });

  test('what is computed takes longer on a share of a processor, what is waited for does not', () => {
    expect(durationMs(20, 0)).toBe(20);
    expect(durationMs(20, 10)).toBeCloseTo(10 + (10 * 1_769) / MEMORY_MB);
    // Threads of the collector run beside the program: more processor time than there was time.
    expect(durationMs(10, 12)).toBeCloseTo((12 * 1_769) / MEMORY_MB);
  });

  test("prices have a date and AWS's page", () => {
    expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    for (const { usd, source } of Object.values(PRICES)) {
      expect(usd).toBeGreaterThan(0);
      expect(source).toMatch(/^https:\/\/aws\.amazon\.com\//);
    }
  });
});
