import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimStatistics, peekDeadLetters, redriveDeadLetters } from 'batchlatch/operations';
import { type ConsoleDemo, startConsoleDemo } from '../../src/console-demo/start-console-demo.ts';
import { until } from '../../../../test/support/until.ts';

describe("The console's demo", () => {
  let demo: ConsoleDemo;
  const troubles: unknown[] = [];
  beforeAll(async () => {
    demo = await startConsoleDemo({ rate: 20, onTrouble: (error) => troubles.push(error) });
  });
  afterAll(() => demo.stop());

  const stateOf = async (key: string): Promise<string> => {
    const { status, attempt } = (await demo.store.read(key)) ?? {};
    return `${status} ${attempt}`;
  };
  const urlOf = (name: string): string => demo.queues.find((queue) => queue.name === name)?.url ?? '';

  it('has something of everything at once', async () => {
    const { counts, attempts, runningMs } = await claimStatistics(demo.store, {});
    expect(counts.completed).toBeGreaterThanOrEqual(900);
    expect(counts.overdue).toBeGreaterThanOrEqual(3);
    expect(attempts?.max).toBe(3);
    expect(runningMs?.median).toBeGreaterThan(100);
    expect(demo.queues.map(({ name, isDeadLetter }) => `${name} ${isDeadLetter}`)).toEqual([
      'orders false',
      'orders-dead-letters true',
      'mails false',
      'mails-dead-letters true',
    ]);
    expect(await demo.outbox?.admin.count()).toMatchObject({ waiting: 1, parked: 2 });
  });

  it('shows each dead letter beside its claim', async () => {
    await until('an order is parked', async () => (await stateOf('orders#v1:o-1001')) === 'PARKED 1');
    const { messages } = await peekDeadLetters(demo.sqs, {
      queueUrl: urlOf('orders-dead-letters'),
      admin: demo.store,
      key: demo.key,
    });
    const shown = messages.map(({ key, claims, error }) => [key, claims[0]?.status, error?.message]);
    expect(shown).toContainEqual(['orders#v1:o-48', 'IN_PROGRESS', undefined]);
    expect(shown).toContainEqual(['orders#v1:o-1001', 'PARKED', 'the card was declined']);
  });

  it('does what is released and sent back, but for what is always declined', async () => {
    await until('it is parked', async () => (await stateOf('orders#v1:o-1006')) === 'PARKED 1');
    const { released } = await redriveDeadLetters(demo.sqs, {
      queueUrl: urlOf('orders-dead-letters'),
      admin: demo.store,
      key: demo.key,
      which: ({ key }) =>
        ['orders#v1:o-48', 'orders#v1:o-57', 'orders#v1:o-1001', 'orders#v1:o-1006'].includes(key ?? ''),
      operator: 'ann',
      reason: 'the provider is back',
    });
    expect(released).toBe(4);
    await until('the orders are done', async () => {
      const states = await Promise.all(['o-48', 'o-1001', 'o-1006'].map((id) => stateOf(`orders#v1:${id}`)));
      return states.join() === 'COMPLETED 4,COMPLETED 2,PARKED 2';
    });
    expect((await demo.store.read('orders#v1:o-1001'))?.history).toMatchObject([
      { operation: 'release', operator: 'ann' },
    ]);
    expect(troubles).toEqual([]);
  });
});
