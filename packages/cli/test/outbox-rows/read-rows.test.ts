import { describe, expect, it } from '@jest/globals';
import type { OutboxAdmin, OutboxEntry, OutboxQuery, OutboxState } from 'batchlatch/outbox';
import { findRows } from '../../src/outbox-rows/read-rows.ts';

function row(outboxId: string, state: OutboxState): OutboxEntry {
  return { outboxId, state, type: 'T', version: 'v', createdAt: 0, tries: 0, bodyBytes: 2, history: [] };
}

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
});
