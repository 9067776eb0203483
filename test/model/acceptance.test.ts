import { describe, expect, it } from '@jest/globals';
import { acceptSeeds } from '../../model/acceptance/accept-seeds.ts';
import { Acceptor } from '../../model/acceptance/acceptor.ts';
import type { StoreEvent } from '../simulation/stores/store-history.ts';
import { runSeed } from '../simulation/run-seed.ts';
import { drawScenario } from '../simulation/draw-scenario.ts';

describe('the model', () => {
  it('accepts the histories of simulated runs', async () => {
    const { refusals, events } = await acceptSeeds(20);
    expect(refusals).toEqual([]);
    expect(events).toBeGreaterThan(100);
  }, 120_000);

  it('refuses a history of which a request is missing, and one with an answer that is another', async () => {
    const events: StoreEvent[] = [];
    const { skewMs } = drawScenario(1, 'memory');
    await runSeed(1, 'memory', undefined, (event) => events.push(event));
    const refusalOf = (history: readonly StoreEvent[]): unknown => {
      const acceptor = new Acceptor(skewMs);
      for (const event of history) acceptor.take(event);
      return acceptor.refusal;
    };
    const end = events.findIndex(({ operation }) => operation === 'settle');
    const settled = events[end];
    if (settled === undefined || settled.operation !== 'settle') throw new Error('Nothing was settled');
    expect(refusalOf(events)).toBeUndefined();
    expect(refusalOf(events.slice(end))).toMatchObject({ event: 0 });
    const lies: StoreEvent = { ...settled, outcome: settled.outcome === 'lost' ? 'stored' : 'lost' };
    expect(refusalOf([...events.slice(0, end), lies])).toMatchObject({ event: end });
  }, 60_000);
});
