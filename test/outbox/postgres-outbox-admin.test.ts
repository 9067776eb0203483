import { describe, expect, it } from '@jest/globals';
import { createOutboxRelay, postgresOutboxAdmin } from 'batchlatch/outbox';
import { fastClock } from '../support/fast-clock.ts';
import { playedTarget } from '../support/outbox-bench.ts';
import { until } from '../support/until.ts';

const pool = { connect: () => Promise.reject(new Error('No statement was expected')) };
const change = {
  operation: 'drop',
  seen: { outboxId: 'one', state: 'parked', version: 'v' },
  token: 't',
  operator: 'pat',
  reason: 'why',
} as const;

describe('postgresOutboxAdmin', () => {
  it.each([
    ['no person', [{ ...change, operator: '' }], '`operator`'],
    ['a long reason', [{ ...change, reason: 'x'.repeat(257) }], '`reason`'],
    ['control characters', [{ ...change, reason: 'a\u001bb' }], '`reason`'],
    ['two changes of one row', [change, change], 'different rows'],
  ])('refuses %s', async (_what, changes, message) => {
    await expect(postgresOutboxAdmin({ pool }).change(changes)).rejects.toThrow(message);
  });

  it('refuses impossible pages, and the cursor of something else', async () => {
    const admin = postgresOutboxAdmin({ pool });
    await expect(admin.list({ limit: 0 })).rejects.toThrow('`limit`');
    await expect(admin.list({ cursor: "parked:1' OR" })).rejects.toThrow('`cursor`');
  });

  it('asks the database nothing for no changes', async () => {
    expect(await postgresOutboxAdmin({ pool }).change([])).toEqual([]);
  });
});

describe('createOutboxRelay', () => {
  it('refuses what is no sender, and options that it does not know', () => {
    expect(() => createOutboxRelay({ pool, sender: {} as never })).toThrow('createSender');
    const options = { pool, sender: playedTarget(), pollMS: 5 };
    expect(() => createOutboxRelay(options as never)).toThrow('Unknown option `pollMS`');
  });

  it('starts once', async () => {
    const relay = createOutboxRelay({ pool, sender: playedTarget(), log: () => undefined, listen: false });
    await expect(relay.start()).rejects.toThrow('No statement was expected');
    expect(relay.health().state).toBe('stopped');
    await expect(relay.start()).rejects.toThrow('create another one');
    await relay.stop();
  });

  it('goes on if its log throws', async () => {
    let statements = 0;
    const query = () =>
      (statements += 1) === 1 ? Promise.resolve({ rows: [] }) : Promise.reject(new Error('Down'));
    const broken = { connect: () => Promise.resolve({ query, release: () => undefined }) };
    const log = () => {
      throw new Error('The log is broken');
    };
    const options = { sender: playedTarget(), log, listen: false, clock: fastClock(1_000) };
    const relay = createOutboxRelay({ pool: broken, ...options });
    await relay.start();
    await until('it has tried again', () => relay.health().failuresInARow > 1);
    await relay.stop();
  });
});
