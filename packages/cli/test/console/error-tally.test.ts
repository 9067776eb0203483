import { describe, expect, it } from '@jest/globals';
import { ErrorTally } from '../../src/console/error-tally.ts';
import { aClaim } from '../../../../lab/real/support/console/claims.ts';

const NOW = Date.UTC(2026, 4, 12, 14, 30);

describe('the tally of errors', () => {
  it('counts failed and parked claims by error, the most first, with the latest message', () => {
    const tally = new ErrorTally();
    const add = (
      state: 'failed' | 'parked' | 'completed',
      name: string,
      message: string,
      ageMs: number,
    ): void => {
      const error = { name, message };
      tally.add(aClaim(message, state, { now: NOW, updatedAt: NOW - ageMs, error }), state);
    };
    add('parked', 'CardDeclined', 'the second', 1_000);
    add('parked', 'Timeout', 'no answer', 3_000);
    add('failed', 'CardDeclined', 'the first', 2_000);
    add('completed', 'Timeout', 'an error of an earlier attempt', 0);
    const latestAt = (ageMs: number): string => new Date(NOW - ageMs).toISOString();
    const declined = {
      name: 'CardDeclined',
      message: 'the second',
      failed: 1,
      parked: 1,
      latestAt: latestAt(1_000),
    };
    const timeout = {
      name: 'Timeout',
      message: 'no answer',
      failed: 0,
      parked: 1,
      latestAt: latestAt(3_000),
    };
    expect(tally.result()).toEqual([declined, timeout]);
    expect(tally.result(1)).toEqual([declined]);
  });

  it('leaves out claims without an error', () => {
    const tally = new ErrorTally();
    const { error: _error, ...released } = aClaim('orders#1', 'failed', { now: NOW });
    tally.add(released, 'failed');
    expect(tally.result()).toEqual([]);
  });
});
