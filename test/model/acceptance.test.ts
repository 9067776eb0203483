import { describe, expect, it } from '@jest/globals';
import { acceptSeeds } from '../../lab/model/acceptance/accept-seeds.ts';
import { Acceptor } from '../../lab/model/acceptance/acceptor.ts';
import { afterEvent, type AttemptStates, FRESH } from '../../lab/model/acceptance/attempt-states.ts';
import { ABSENT } from '../../lab/model/state.ts';
import type { StoreEvent } from '../../lab/simulation/stores/store-history.ts';
import { runSeed } from '../../lab/simulation/run-seed.ts';
import { drawScenario } from '../../lab/simulation/draw-scenario.ts';

describe('the model', () => {
  it('accepts the histories of simulated runs', async () => {
    const { refusals, events } = await acceptSeeds(20);
    expect(refusals).toEqual([]);
    expect(events).toBeGreaterThan(100);
  });

  it('refuses an attempt that completes what it has not marked as started, where it records starts', () => {
    const claim = { key: 'k', owner: 'a' };
    const row = undefined;
    const acquire = (recordsStart: boolean): StoreEvent => ({
      operation: 'acquire',
      at: 0,
      row,
      item: { ...claim, leaseMs: 1, retentionMs: 1, recordsStart },
      outcome: {
        status: 'acquired',
        attempt: 1,
        releases: 0,
        crashes: 0,
        leaseUntil: 1,
        tookOver: false,
      },
    });
    const complete: StoreEvent = {
      operation: 'settle',
      at: 0,
      row,
      item: { ...claim, end: 'complete', retentionMs: 1 },
      outcome: 'stored',
    };
    const start: StoreEvent = { operation: 'start', at: 0, row, item: claim, outcome: 'stored' };
    const after = (...events: StoreEvent[]): number =>
      events.reduce<AttemptStates>((states, event) => afterEvent(states, event, ABSENT), FRESH).size;
    expect(after(acquire(false), complete)).toBeGreaterThan(0);
    expect(after(acquire(true), start, complete)).toBeGreaterThan(0);
    expect(after(acquire(true), complete)).toBe(0);
    expect(after(acquire(true), start, complete, start)).toBe(0);
  });

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
  });
});
