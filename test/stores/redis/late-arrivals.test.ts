import { describe, expect, it } from '@jest/globals';
import type { RedisClient } from 'batchlatch/redis';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { redisStoreBy } from '../../../src/stores/redis/redis-store.ts';
import { claimRequest, completion } from '../../support/claim-builders.ts';

/** How long a command takes to the server, and its answer back, in milliseconds. */
interface Trip {
  readonly there?: number;
  readonly back?: number;
}

interface Line {
  readonly client: RedisClient;
  /** The names of the rows that scripts have written, and `LATE` for each script that was refused. */
  readonly written: string[];
  /** How the next scripts travel; the others take no time. */
  travels(...trips: Trip[]): void;
}

/** A client that reaches a server whose clock is ahead, over a line that may take long: it refuses what arrives too late. */
function lineTo(clock: ManualClock, aheadMs = 0): Line {
  const written: string[] = [];
  const trips: Trip[] = [];
  const pass = (ms: number): Promise<void> =>
    ms === 0 ? Promise.resolve() : new Promise((resolve) => clock.setTimer(resolve, ms));
  async function sendCommand([command = '', ...args]: string[]): Promise<unknown> {
    if (command === 'info') return 'maxmemory_policy:noeviction\r\n';
    const { there = 0, back = 0 } = trips.shift() ?? {};
    await pass(there);
    const now = clock.now() + aheadMs;
    const rows = Number(args[1]);
    const names = args.slice(2, 2 + rows);
    const latest = args[3 + rows] ?? '';
    const isLate = latest !== '' && now > Number(latest);
    written.push(...(isLate ? ['LATE'] : names));
    const answer = isLate ? [now, 'LATE'] : [now, names.length];
    await pass(back);
    return answer;
  }
  return {
    written,
    travels: (...all) => void trips.push(...all),
    client: { sendCommand, isOpen: true },
  };
}

const nothingWritten = {
  status: 'error',
  error: { isRetryable: true, message: expect.stringContaining('nothing was written') },
};

describe('a call that reaches Redis after its caller has given up', () => {
  it.each(['acquire', 'settle'] as const)(
    'writes nothing, however late an earlier %s was answered',
    async (earlier) => {
      const clock = manualClock();
      const { client, written, travels } = lineTo(clock);
      const store = redisStoreBy({ client }, { clock });
      const first = claimRequest('first');
      travels({ there: 25_000 }, { there: 31_000 }); // as a client that is not connected keeps commands
      const answered = earlier === 'acquire' ? store.acquire([first]) : store.settle([completion(first)]);
      await clock.advance(25_000);
      await answered;
      const late = store.acquire([claimRequest('late')]);
      await clock.advance(31_000);
      expect(await late).toMatchObject([nothingWritten]);
      expect(written).toEqual(['batchlatch:first', 'LATE']);
    },
  );

  it('writes nothing when it is sent again because the clocks differ', async () => {
    const clock = manualClock();
    const { client, written, travels } = lineTo(clock, 3_600_000);
    const store = redisStoreBy({ client }, { clock });
    travels({ there: 20_000 }, { there: 20_000 });
    const late = store.acquire([claimRequest('late')]);
    await clock.advance(40_000);
    expect(await late).toMatchObject([nothingWritten]);
    expect(written).toEqual(['LATE', 'LATE']);
  });
});

describe('a call that reaches Redis in time', () => {
  it.each([-3_600_000, 0, 3_600_000])(
    'is written, with the clock of the server %i ms ahead',
    async (ahead) => {
      const clock = manualClock();
      const { client, written } = lineTo(clock, ahead);
      const store = redisStoreBy({ client }, { clock });
      for (const key of ['a', 'b']) {
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'acquired' }]);
      }
      const names = ['batchlatch:a', 'batchlatch:b'];
      expect(written).toEqual(ahead > 0 ? ['LATE', ...names] : names);
    },
  );

  it('is written at once after an answer that an earlier call was sent for, and that arrives last', async () => {
    const clock = manualClock();
    const { client, written, travels } = lineTo(clock);
    const store = redisStoreBy({ client }, { clock });
    travels({ back: 40_000 }); // as where the process was frozen
    const slow = store.acquire([claimRequest('slow')]);
    await store.acquire([claimRequest('quick')]);
    await clock.advance(40_000);
    await slow;
    expect(await store.acquire([claimRequest('next')])).toMatchObject([{ status: 'acquired' }]);
    expect(written).toEqual(['batchlatch:slow', 'batchlatch:quick', 'batchlatch:next']);
  });

  it('is sent once more after an answer that lay for long, and is written then', async () => {
    const clock = manualClock();
    const { client, written, travels } = lineTo(clock);
    const store = redisStoreBy({ client }, { clock });
    travels({ back: 40_000 });
    const slow = store.acquire([claimRequest('slow')]);
    await clock.advance(40_000);
    await slow;
    expect(await store.acquire([claimRequest('next')])).toMatchObject([{ status: 'acquired' }]);
    expect(written).toEqual(['batchlatch:slow', 'LATE', 'batchlatch:next']);
  });
});
