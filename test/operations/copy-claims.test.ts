import { inDynamoDB, inPostgres, type StoreAndAdmin } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resultsIn, StoreError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ClaimsCopy, copyClaims } from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import { systemClock } from '../../src/base/clock.ts';
import { boundedAdmin } from '../../src/claims/bounded-admin.ts';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../../lab/local/emulators/postgres-emulator.ts';
import { claimRequest, claimRequests, completion, LEASE_MS } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';
import { createPostgresTable, poolOf } from '../support/postgres-table.ts';
import { describeCopies } from './copied-claims.ts';

const table = emulatedTable('dynoxide');
let postgres: LocalService;
let pool: Pool;
let postgresTable: string;
beforeAll(async () => {
  postgres = await startPostgresEmulator();
  pool = poolOf(postgres.endpoint);
  postgresTable = await createPostgresTable(pool);
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

const ofDynamoDB = (): StoreAndAdmin => inDynamoDB({ client: table.newClient(), tableName: table.tableName });

describe('copyClaims', () => {
  describeCopies({
    memory: () => memoryStore(),
    DynamoDB: ofDynamoDB,
    PostgreSQL: () => inPostgres({ pool, table: postgresTable }),
  });

  it('brings what was completed since, when it is run again', async () => {
    const [source, target] = [memoryStore(), memoryStore()];
    const [running, failed] = claimRequests(2) as [never, never];
    await source.acquire([running, failed]);
    await copyClaims(source, target);
    await source.settle([completion(running, '1')]);
    expect(await copyClaims(source, target)).toMatchObject({ copied: 1, present: 1, running: 1 });
    expect(await target.acquire([running])).toMatchObject([{ status: 'duplicate', result: '1' }]);
  });

  it('keeps keys from running twice after the switch', async () => {
    const [source, target] = [memoryStore(), memoryStore()];
    const requests = claimRequests(3);
    await source.acquire(requests);
    await source.settle(requests.map((request) => completion(request)));
    await copyClaims(source, target);
    const again = requests.map((request) => ({ ...request, owner: randomUUID() }));
    const outcomes = await target.acquire(again);
    expect(outcomes.map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  it('goes through all pages, says how far it is, and leaves out what is past its retention', async () => {
    const clock = manualClock();
    const [source, target] = [memoryStore({ clock }), memoryStore({ clock })];
    await source.acquire(claimRequests(5, { leaseMs: 1_000, retentionMs: 1_000 }));
    await clock.advance(2_000);
    await source.acquire(claimRequests(250));
    const seen: ClaimsCopy[] = [];
    const copy = await copyClaims(source, target, { clock, onProgress: (one) => seen.push(one) });
    expect(copy).toMatchObject({ copied: 250, running: 250, isWhole: true, rowsRead: 255 });
    expect(seen.map(({ copied }) => copied)).toEqual([expect.any(Number), expect.any(Number), 250]);
    expect(seen[0]).toMatchObject({ isWhole: false, next: expect.any(String) });
  });

  it('stops when it is told to, and goes on from there', async () => {
    const [source, target] = [memoryStore(), memoryStore()];
    await source.acquire(claimRequests(250));
    const stopping = new AbortController();
    const { signal } = stopping;
    const first = await copyClaims(source, target, { signal, onProgress: () => stopping.abort() });
    expect(first).toMatchObject({ copied: 100, isWhole: false });
    const rest = await copyClaims(source, target, { cursor: first.next as string });
    expect(rest).toMatchObject({ copied: 150, isWhole: false });
    expect(rest).not.toHaveProperty('next');
    expect(await copyClaims(source, target, { signal })).toMatchObject({ copied: 0, isWhole: false });
    expect(await copyClaims(source, target)).toMatchObject({ copied: 0, present: 250, isWhole: true });
  });

  it('gives what it has copied, and where to go on, when it is stopped while it reads', async () => {
    const [source, target] = [memoryStore(), memoryStore()];
    await source.acquire(claimRequests(150));
    const stopping = new AbortController();
    const reading: StoreAndAdmin = {
      ...source,
      async list(query, options) {
        if (query.cursor === undefined) return source.list(query, options);
        return boundedAdmin({ ...source, list: () => new Promise(() => undefined) }, systemClock).list(
          query,
          options,
        );
      },
    };
    const { signal } = stopping;
    const onProgress = (): unknown => setImmediate(() => stopping.abort());
    const copy = await copyClaims(reading, target, { signal, onProgress });
    expect(copy).toMatchObject({ copied: 100, isWhole: false, next: expect.any(String) });
    expect(await copyClaims(source, target, { cursor: copy.next as string })).toMatchObject({ copied: 50 });
  });

  it('sends what failed in passing once more, and tells of what cannot be written', async () => {
    const [source, target] = [memoryStore(), memoryStore()];
    const requests = claimRequests(4);
    await source.acquire(requests);
    let calls = 0;
    const failing: StoreAndAdmin = {
      ...target,
      async adopt(claims: readonly { readonly key: string }[]) {
        calls += 1;
        const outcomes = (await target.adopt?.(claims as never)) ?? [];
        return outcomes.map((outcome, index) => {
          const key = claims[index]?.key;
          if (key === requests[2]?.key) return { error: new StoreError('never', { isRetryable: false }) };
          if (key !== requests[0]?.key || calls > 1) return outcome;
          return { error: new StoreError('lost', { isRetryable: true }) };
        });
      },
    };
    const failures: string[] = [];
    const copy = await copyClaims(source, failing, {
      onFailure: ({ key }, { message }) => failures.push(`${key} ${message}`),
    });
    expect(copy).toMatchObject({ copied: 2, present: 1, failed: 1 });
    expect(failures).toEqual([`${requests[2]?.key} never`]);
    expect(calls).toBe(2);
  });

  it('ends when nothing can be written any more', async () => {
    const source = memoryStore();
    await source.acquire(claimRequests(2));
    const error = new StoreError('down', { isRetryable: true });
    const target = { ...memoryStore(), adopt: () => Promise.reject(error) };
    await expect(copyClaims(source, target)).rejects.toBe(error);
  });

  it('ends at once where the table is missing', async () => {
    const source = memoryStore();
    await source.acquire(claimRequests(3));
    const failed: string[] = [];
    const copy = copyClaims(source, inPostgres({ pool, table: 'no_such_table' }), {
      onFailure: ({ key }) => failed.push(key),
    });
    await expect(copy).rejects.toMatchObject({
      code: 'BATCHLATCH_TABLE_NOT_FOUND',
      message: expect.stringContaining('`npx batchlatch table create --postgres --table no_such_table`'),
    });
    expect(failed).toEqual([]);
  });

  it('fails for a result that is too long for the other store, or leaves it out where that is asked for', async () => {
    const [source, target] = [memoryStore(), ofDynamoDB()];
    const request = claimRequest(randomUUID());
    await source.acquire([request]);
    await source.settle([completion(request, JSON.stringify('x'.repeat(450_000)))]);
    const failures: unknown[] = [];
    const onFailure = (_claim: unknown, error: unknown): unknown => failures.push(error);
    expect(await copyClaims(source, target, { onFailure })).toMatchObject({ copied: 0, failed: 1 });
    expect(failures).toMatchObject([{ code: 'BATCHLATCH_ITEM_TOO_LARGE' }]);

    const copy = await copyClaims(source, target, { leaveOutLongResults: true });
    expect(copy).toMatchObject({ copied: 1, withoutResult: 1, failed: 0 });
    const [outcome] = await target.acquire([{ ...request, owner: randomUUID() }]);
    expect(outcome).toMatchObject({ status: 'duplicate' });
    expect(outcome).not.toHaveProperty('result');
  });

  it('leaves results in their storage, where both stores find them', async () => {
    const { storage } = memoryResultStorage();
    const within = { ...storage, thresholdBytes: 10 };
    const [from, to] = [memoryStore(), memoryStore()];
    const [source, target] = [resultsIn(within, from), resultsIn(within, to)];
    const request = claimRequest('k');
    await source.acquire([request]);
    const result = JSON.stringify('x'.repeat(50));
    await source.settle([completion(request, result)]);
    await copyClaims(from, to);
    const again = { ...request, owner: randomUUID() };
    expect(await target.acquire([again], { wantsResults: true })).toMatchObject([{ result }]);
  });

  it('may meet another copy of the same claims', async () => {
    const [source, target] = [memoryStore(), ofDynamoDB()];
    await source.acquire(claimRequests(60, { leaseMs: LEASE_MS }));
    const copies = await Promise.all(Array.from({ length: 3 }, () => copyClaims(source, target)));
    expect(copies.reduce((sum, { copied }) => sum + copied, 0)).toBe(60);
    expect(copies.reduce((sum, { present }) => sum + present, 0)).toBe(120);
  });

  it('refuses what it cannot copy into, and the same store', async () => {
    const { adopt: _adopt, ...closed } = memoryStore();
    await expect(copyClaims(memoryStore(), closed)).rejects.toThrow('to have adopt()');
    const store = memoryStore();
    await expect(copyClaims(store, store)).rejects.toThrow('got one twice');
    await expect(copyClaims(store, memoryStore(), { keyPrefx: 'a' } as never)).rejects.toThrow('keyPrefix');
  });
});
