import { describe, expect, it } from '@jest/globals';
import type { EncodedMessage } from '../../src/messages/encode-message.ts';
import { postgresOutboxTable } from '../../src/outbox/postgres-table.ts';
import { relayTexts } from '../../src/outbox/postgres-statements.ts';
import { sendRound } from '../../src/outbox/relay-round.ts';
import type { RowSender } from '../../src/outbox/row-sender.ts';
import { Stop } from '../../src/base/stop.ts';
import type { PostgresPool, SqlStatement } from '../../src/stores/postgres/pool.ts';

function row(id: string, group: string) {
  const message = { type: 'T', body: id, attributes: '{}', deduplication_id: id };
  return { ...message, id, outbox_id: id, message_group: group, tries: '0' };
}

/** A round in a database that another relay works on: it has locked group `b`. */
async function round({ loses = '', failed = [] as readonly string[] } = {}) {
  const steps: string[] = [];
  const pool: PostgresPool = {
    connect: () => Promise.resolve({ query: (one) => Promise.resolve({ rows: answer(one) }), release() {} }),
  };
  const table = postgresOutboxTable({ pool });
  const texts = Object.entries(relayTexts(table));
  function answer({ text, values: [first] }: SqlStatement) {
    const [name = text.slice(0, 6)] = texts.find(([, one]) => one === text) ?? [];
    steps.push(name);
    if (name === loses) throw new Error('The connection is lost');
    if (name === 'find') return [{ groups: '["a","b"]', alone: 'false' }];
    if (name === 'lock') return [{ groups: '["a"]' }];
    if (name !== 'read') return [];
    const rows = [row('10', 'a'), row('2', 'a'), row('9', 'a'), row('3', 'b')];
    return rows.filter(({ message_group: group }) => String(first).includes(group));
  }
  const sent: string[] = [];
  const sender: RowSender = {
    async sendEncoded<Row extends EncodedMessage>(rows: readonly Row[]) {
      steps.push('send');
      sent.push(...rows.map(({ body }) => body));
      const isFailed = ({ body }: Row): boolean => failed.includes(body);
      return {
        sent: rows.filter((one) => !isFailed(one)),
        failed: rows
          .filter(isFailed)
          .map((message) => ({ message, error: new Error('No'), isRetryable: false })),
        unknown: [],
      };
    },
  };
  const report = await sendRound({ table, sender, sendTimeoutMs: 1_000, maxTries: 10, stop: new Stop() }, '');
  return { sent, steps, report };
}

describe('a round of a relay', () => {
  it('sends the rows of the groups that it has locked, in the order of their positions', async () => {
    expect((await round()).sent).toEqual(['2', '9', '10']);
  });

  it('holds its locks while it sends and deletes, and deletes after the answer', async () => {
    expect((await round()).steps).toEqual(['find', 'BEGIN ', 'lock', 'read', 'send', 'settle', 'COMMIT']);
  });

  it('reports no failures that were not stored, because the row is tried again', async () => {
    expect((await round({ failed: ['2'] })).report.failures).toHaveLength(1);
    const { report, steps } = await round({ failed: ['10'], loses: 'COMMIT' });
    expect(steps.at(-1)).toBe('remove');
    expect([report.sent.map(({ body }) => body), report.failures]).toEqual([['2', '9'], []]);
  });
});
