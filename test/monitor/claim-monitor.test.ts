import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { createClaimMonitor } from 'batchlatch/monitor';
import type { ClaimCount, ClaimPage, ClaimAdmin } from 'batchlatch/operations';
import { lambdaContext, manualClock } from 'batchlatch/testing';
import type { Claim } from '../../src/claims/claim.ts';
import { keyHash } from '../../src/base/key-hash.ts';

const NOW = Date.UTC(2026, 0, 1);
const clock = manualClock(NOW);

/** The pages that a store gives, one call after the other; the last one again and again. */
type Pages<Page> = readonly (Partial<Page> | Error | 'silence')[];

interface Given {
  readonly overdue?: Pages<ClaimCount>;
  readonly parked?: Pages<ClaimCount>;
  readonly 'in-progress'?: Pages<ClaimCount>;
  readonly listed?: readonly Claim[];
  readonly list?: Pages<ClaimPage>;
  /** Default: `list`. */
  readonly parkedList?: Pages<ClaimPage>;
}

/** Faults and pages that no real store can be made to show. */
function storeWith(given: Given): ClaimAdmin {
  const next = new Map<string, number>();
  function answer<Page>(what: string, pages: Pages<Page>, rest: Page): Promise<Page> {
    const index = next.get(what) ?? 0;
    next.set(what, Math.min(index + 1, pages.length - 1));
    const page = pages[index] ?? {};
    if (page === 'silence') return new Promise(() => undefined);
    return page instanceof Error ? Promise.reject(page) : Promise.resolve({ ...rest, ...page });
  }
  const reading = { readBy: 'index', rowsRead: 1, readUnits: 0.5 } as const;
  return {
    ...memoryStore(),
    count: ({ state }) =>
      answer(state, given[state as 'overdue'] ?? [{ count: 0 }], { ...reading, count: 0 }),
    list: ({ state }) => {
      const claims = (given.listed ?? []).filter(
        ({ status }) => (status === 'PARKED') === (state === 'parked'),
      );
      const pages = (state === 'parked' ? given.parkedList : undefined) ?? given.list ?? [{}];
      return answer(`list ${state}`, pages, { ...reading, claims });
    },
    change: () => Promise.reject(new Error('The monitor changes nothing')),
  };
}

function aClaim(members: Partial<Claim>): Claim {
  return {
    key: 'orders#o-1',
    status: 'IN_PROGRESS',
    owner: 'owner-1',
    attempt: 1,
    releases: 0,
    crashes: 0,
    leaseUntil: NOW - 60_000,
    createdAt: NOW - 120_000,
    updatedAt: NOW - 120_000,
    ...members,
  };
}

function aParkedClaim(code: string): Claim {
  return aClaim({ key: `orders#${code}`, status: 'PARKED', error: { name: 'Error', message: '', code } });
}

function monitorOf(given: Given, options: object = {}) {
  const written: string[] = [];
  const monitor = createClaimMonitor({
    admin: storeWith(given),
    tableName: 'claims',
    write: (line) => written.push(line),
    clock,
    ...options,
  });
  return {
    monitor,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    written,
  };
}

describe('createClaimMonitor', () => {
  it('writes what it counted as metrics of the table, in one line, and reports it', async () => {
    const { monitor, lines } = monitorOf(
      {
        overdue: [{ count: 2, oldestLeaseUntil: NOW - 90_000 }],
        parked: [{ count: 1 }],
        'in-progress': [{ count: 7 }],
        listed: [aParkedClaim('BATCHLATCH_LAPSED_LEASE')],
      },
      { limit: 0 },
    );

    expect(await monitor({}, lambdaContext())).toEqual({
      table: 'claims',
      readBy: 'index',
      isWhole: true,
      overdue: 2,
      parked: 1,
      parkedKinds: { lapsed: 1, failed: 0, attempts: 0, done: 0 },
      inProgress: 7,
      oldestOverdueMs: 90_000,
    });
    expect(lines()).toEqual([
      {
        _aws: {
          Timestamp: NOW,
          CloudWatchMetrics: [
            {
              Namespace: 'batchlatch',
              Dimensions: [['table']],
              Metrics: [
                { Name: 'OverdueClaims', Unit: 'Count' },
                { Name: 'ParkedClaims', Unit: 'Count' },
                { Name: 'ParkedLapsedClaims', Unit: 'Count' },
                { Name: 'ParkedFailedClaims', Unit: 'Count' },
                { Name: 'ParkedAttemptsClaims', Unit: 'Count' },
                { Name: 'ParkedDoneClaims', Unit: 'Count' },
                { Name: 'InProgressClaims', Unit: 'Count' },
                { Name: 'OldestOverdueMs', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        message: 'claimsCounted',
        requestId: expect.any(String),
        table: 'claims',
        OverdueClaims: 2,
        ParkedClaims: 1,
        ParkedLapsedClaims: 1,
        ParkedFailedClaims: 0,
        ParkedAttemptsClaims: 0,
        ParkedDoneClaims: 0,
        InProgressClaims: 7,
        OldestOverdueMs: 90_000,
        isWhole: true,
        readBy: 'index',
        rowsRead: 3,
        readUnits: 1.5,
      },
    ]);
  });

  it('writes 0 as 0, so that no data means that it does not run', async () => {
    const { monitor, lines } = monitorOf({});
    await monitor();
    expect(lines()).toMatchObject([
      {
        OverdueClaims: 0,
        ParkedClaims: 0,
        ParkedLapsedClaims: 0,
        ParkedFailedClaims: 0,
        ParkedAttemptsClaims: 0,
        ParkedDoneClaims: 0,
        InProgressClaims: 0,
        OldestOverdueMs: 0,
        isWhole: true,
      },
    ]);
  });

  it('counts all pages, and finds the oldest of them', async () => {
    const pages = [
      { count: 3, oldestLeaseUntil: NOW - 1_000, next: 'p2' },
      { count: 0, next: 'p3' },
      { count: 4, oldestLeaseUntil: NOW - 9_000 },
    ];
    const { monitor } = monitorOf({ overdue: pages });
    expect(await monitor()).toMatchObject({ overdue: 7, oldestOverdueMs: 9_000, isWhole: true });
  });

  it('logs the overdue claims and the parked ones, the oldest first, by the hash of their keys', async () => {
    const { monitor, lines, written } = monitorOf({
      overdue: [{ count: 2 }],
      parked: [{ count: 1 }],
      listed: [
        aClaim({ key: 'orders#young', leaseUntil: NOW - 1_000 }),
        aClaim({ key: 'orders#old', recordId: 'm-2', attempt: 3, lockedBy: 'orders/7/r-9' }),
        aClaim({
          key: 'orders#bad',
          status: 'PARKED',
          updatedAt: NOW - 500,
          error: { name: 'PermanentError', message: 'no such card' },
        }),
      ],
    });
    await monitor();

    expect(lines().slice(1)).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        level: 'warn',
        message: 'overdueClaim',
        key: keyHash('orders#old'),
        recordId: 'm-2',
        status: 'IN_PROGRESS',
        attempt: 3,
        owner: 'owner-1',
        lockedBy: 'orders/7/r-9',
        forMs: 60_000,
      },
      expect.objectContaining({ key: keyHash('orders#young'), forMs: 1_000 }),
      expect.objectContaining({
        level: 'error',
        message: 'parkedClaim',
        key: keyHash('orders#bad'),
        parkedKind: 'failed',
        forMs: 500,
        error: { name: 'PermanentError', message: 'no such card' },
      }),
    ]);
    expect(written.join()).not.toContain('orders#');
  });

  it('counts parked claims by why they are parked', async () => {
    const codes = ['BATCHLATCH_LAPSED_LEASE', 'E1', 'E2', 'BATCHLATCH_TOO_MANY_CRASHES'];
    const { monitor, lines } = monitorOf(
      { parked: [{ count: 4 }], listed: codes.map((code) => aParkedClaim(code)) },
      { limit: 0 },
    );
    expect(await monitor()).toMatchObject({
      parked: 4,
      parkedKinds: { lapsed: 1, failed: 2, attempts: 1, done: 0 },
    });
    expect(lines()).toMatchObject([
      { ParkedLapsedClaims: 1, ParkedFailedClaims: 2, ParkedAttemptsClaims: 1, ParkedDoneClaims: 0 },
    ]);
  });

  it('reads up to 10,000 parked claims for it, and writes no 0 that may be wrong', async () => {
    let asked = 0;
    const admin: ClaimAdmin = {
      ...storeWith({ parked: [{ count: 12_000 }] }),
      list: ({ limit = 0 }) => {
        asked += limit;
        const claims = Array.from({ length: limit }, () => aParkedClaim('BATCHLATCH_LAPSED_LEASE'));
        return Promise.resolve({ claims, next: 'more', readBy: 'index', rowsRead: limit });
      },
    };
    const { monitor, lines } = monitorOf({}, { admin, limit: 0 });
    expect(await monitor()).toMatchObject({ isWhole: false, parked: 12_000 });
    expect(asked).toBe(10_000);
    const [line] = lines();
    expect(line).toMatchObject({ ParkedClaims: 12_000, ParkedLapsedClaims: 10_000, OverdueClaims: 0 });
    expect(line).not.toHaveProperty('ParkedFailedClaims');
    expect(JSON.stringify(line?.['_aws'])).not.toContain('ParkedFailedClaims');
  });

  it('logs the keys where it is told to, with what a terminal would act upon escaped', async () => {
    const { monitor, lines, written } = monitorOf(
      { overdue: [{ count: 1 }], listed: [aClaim({ key: 'orders#\u001B[31m\u009B\u202E' })] },
      { logKeys: true },
    );
    await monitor();
    expect(lines()[1]).toMatchObject({ idempotencyKey: 'orders#\u001B[31m\u009B\u202E' });
    expect(written[1]).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it('logs no more than `limit` of each', async () => {
    const listed = Array.from({ length: 50 }, (_, index) =>
      aClaim({ key: `orders#${index}`, leaseUntil: NOW - index }),
    );
    const { monitor, lines } = monitorOf({ overdue: [{ count: 50 }], listed }, { limit: 3 });
    await monitor();
    expect(lines().slice(1)).toMatchObject([{ forMs: 49 }, { forMs: 48 }, { forMs: 47 }]);
  });

  it('reads a bounded number of claims for them, however many there are', async () => {
    let asked = 0;
    const store: ClaimAdmin = {
      ...storeWith({ overdue: [{ count: 9_999 }] }),
      list: ({ limit = 0 }) => {
        asked += limit;
        const claims = Array.from({ length: limit }, (_, index) =>
          aClaim({ key: `orders#${asked} ${index}` }),
        );
        return Promise.resolve({ claims, next: 'more', readBy: 'index', rowsRead: limit });
      },
    };
    const { monitor, lines } = monitorOf({}, { admin: store });
    await monitor();
    expect(asked).toBe(500);
    expect(lines()).toHaveLength(21);
  });

  it('says so when a store has no index and reads the whole table', async () => {
    const { monitor, lines } = monitorOf({ overdue: [{ readBy: 'scan' }] });
    await monitor();
    expect(lines()[1]).toMatchObject({ level: 'warn', message: 'claimsScanned', table: 'claims' });
  });

  describe('when the time is over', () => {
    it('gives what it counted as the least that there are, and no 0 that may be wrong', async () => {
      const { monitor, lines } = monitorOf({
        overdue: [{ count: 5, oldestLeaseUntil: NOW - 1_000, next: 'p2' }, 'silence'],
      });
      const running = monitor({}, lambdaContext({ remainingTimeMs: 10_000, clock }));
      await clock.advance(8_000);
      expect(await running).toMatchObject({ isWhole: false, overdue: 5, parked: 0 });

      const [line] = lines();
      expect(line).toMatchObject({ OverdueClaims: 5, isWhole: false });
      expect(line).not.toHaveProperty('ParkedClaims');
      expect(line).not.toHaveProperty('InProgressClaims');
      expect(JSON.stringify(line?.['_aws'])).not.toContain('ParkedClaims');
    });

    it.each([0, -5])('already at the start (%s ms left), it writes no metric', async (remainingTimeMs) => {
      const { monitor, lines } = monitorOf({ overdue: [{ count: 5 }] });
      expect(await monitor({}, lambdaContext({ remainingTimeMs, clock }))).toMatchObject({ isWhole: false });
      expect(lines()).toEqual([expect.not.objectContaining({ _aws: expect.anything() })]);
    });

    it('stops reading parked claims, and writes the metrics of the counts', async () => {
      const { monitor, lines } = monitorOf({ parked: [{ count: 5 }], list: ['silence'] });
      const running = monitor({}, lambdaContext({ remainingTimeMs: 4_000, clock }));
      await clock.advance(2_000);
      expect(await running).toMatchObject({ isWhole: false, parked: 5 });
      const [line] = lines();
      expect(line).toMatchObject({ ParkedClaims: 5, OverdueClaims: 0 });
      expect(line).not.toHaveProperty('ParkedLapsedClaims');
    });

    it('stops listing, too', async () => {
      const { monitor, lines } = monitorOf({ overdue: [{ count: 5 }], list: ['silence'] });
      const running = monitor({}, lambdaContext({ remainingTimeMs: 4_000, clock }));
      await clock.advance(2_000);
      expect(await running).toMatchObject({ isWhole: true, overdue: 5 });
      expect(lines()).toHaveLength(1);
    });
  });

  describe('when the store fails', () => {
    it('fails as well, after it has written what it knows', async () => {
      const { monitor, lines } = monitorOf({ overdue: [{ count: 5 }], parked: [new Error('no table')] });
      await expect(monitor()).rejects.toThrow('no table');
      expect(lines()).toMatchObject([{ OverdueClaims: 5, isWhole: false }]);
    });

    it('fails when only the list does', async () => {
      const { monitor, lines } = monitorOf({ overdue: [{ count: 5 }], list: [new Error('no permission')] });
      await expect(monitor()).rejects.toThrow('no permission');
      expect(lines()).toHaveLength(1);
    });

    it('has logged the overdue claims before it fails because it cannot read the parked ones', async () => {
      const { monitor, lines } = monitorOf({
        overdue: [{ count: 1 }],
        parked: [{ count: 1 }],
        listed: [aClaim({})],
        parkedList: [new Error('no permission')],
      });
      await expect(monitor()).rejects.toThrow('no permission');
      expect(lines()).toMatchObject([{ OverdueClaims: 1, isWhole: false }, { status: 'IN_PROGRESS' }]);
    });

    it('fails when it does not answer, however much time there is', async () => {
      const { monitor } = monitorOf({ overdue: ['silence'] });
      const running = monitor({}, lambdaContext({ remainingTimeMs: 60_000, clock }));
      const ended = Promise.allSettled([running]);
      await clock.advance(15_000);
      const reason: unknown = expect.objectContaining({ code: 'BATCHLATCH_STORE_SILENT' });
      expect(await ended).toEqual([{ status: 'rejected', reason }]);
    });
  });

  it('refuses a store, which is no admin', () => {
    const { acquire, settle, extend, inspect } = memoryStore();
    const store = { acquire, settle, extend, inspect };
    expect(() => createClaimMonitor({ admin: store as never })).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringContaining('Expected `admin` to be an admin of claims'),
      }),
    );
  });
});
