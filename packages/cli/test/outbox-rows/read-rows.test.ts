import { describe, expect, it } from '@jest/globals';
import type { OutboxAdmin, OutboxEntry, OutboxQuery, OutboxState } from 'batchlatch/outbox';
import { findRows, readRows } from '../../src/outbox-rows/read-rows.ts';

function row(outboxId: string, state: OutboxState): OutboxEntry {
  return { outboxId, state, type: 'T', version: 'v', createdAt: 0, tries: 0, bodyBytes: 2, history: [] };
}

describe('rows of a type', () => {
  const stored = Array.from({ length: 5_000 }, (_, index) => {
    const type = index < 99 || index % 500 === 499 ? 'Rare' : 'Frequent';
    return { ...row(String(index), 'parked'), type };
  });

  it.each([
    ['in few pages, though few of many rows are of it', 103, 103, '2499', 6],
    ['to the end', 1_000, 109, undefined, 5],
  ])('are read %s', async (_what, most, found, next, expectedPages) => {
    let pages = 0;
    const list: OutboxAdmin['list'] = async ({ cursor = '0', limit = 100 } = {}) => {
      pages += 1;
      const end = Number(cursor) + limit;
      const entries = stored.slice(Number(cursor), end);
      return { entries, ...(end < stored.length && { next: String(end) }) };
    };
    const { signal } = new AbortController();
    const read = await readRows({ list } as unknown as OutboxAdmin, { type: 'Rare' }, most, { signal });
    expect([read.rows.length, read.next, pages]).toEqual([found, next, expectedPages]);
    expect(read.rows.every(({ type }) => type === 'Rare')).toBe(true);
  });
});

describe('rows that are named', () => {
  it('are found by two listings, however many there are', async () => {
    const stored = [row('a', 'parked'), row('b', 'waiting'), row('c', 'dropped'), row('d', 'dropped')];
    const queries: OutboxQuery[] = [];
    const list: OutboxAdmin['list'] = async (query = {}) => {
      queries.push(query);
      const isAsked = ({ outboxId, state }: OutboxEntry): boolean =>
        query.outboxIds?.includes(outboxId) === true &&
        (query.state === undefined ? state !== 'dropped' : state === query.state);
      return { entries: stored.filter(isAsked) };
    };
    const admin = { list } as unknown as OutboxAdmin;
    const { signal } = new AbortController();
    const found = await findRows(admin, ['a', 'b', 'c', 'd', 'e', 'a'], { signal });
    expect([...found.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(queries.map(({ outboxIds, state }) => [outboxIds, state])).toEqual([
      [['a', 'b', 'c', 'd', 'e'], undefined],
      [['c', 'd', 'e'], 'dropped'],
    ]);
  });

  it('do not count as missing if an abort kept pages from being read', async () => {
    const stopping = new AbortController();
    const list: OutboxAdmin['list'] = async () => {
      stopping.abort();
      return { entries: [], next: 'more' };
    };
    const { signal } = stopping;
    await expect(findRows({ list } as unknown as OutboxAdmin, ['a'], { signal })).rejects.toThrow(/abort/);
  });
});
