import { describe, expect, it } from '@jest/globals';
import type { WorkerHealth } from 'batchlatch/worker';
import { joinedHealth, NOTHING_DONE, type ToldByProcesses } from '../../src/cli/worker/joined-health.ts';

const health = (more: Partial<WorkerHealth> = {}): WorkerHealth => ({
  state: 'running',
  counters: { ...NOTHING_DONE, received: 10 },
  running: 3,
  waiting: 2,
  setAside: 1,
  limit: 100,
  down: [],
  pauseReason: undefined,
  dependencies: ['claim-store'],
  failuresInARow: 0,
  isReached: true,
  storeSilentForMs: 0,
  ...more,
});
const joined = (more: Partial<ToldByProcesses> = {}): WorkerHealth =>
  joinedHealth({
    places: [health(), health()],
    finishing: [],
    past: NOTHING_DONE,
    processes: [],
    restarts: 0,
    isStopping: false,
    ...more,
  });

describe('The health of several processes', () => {
  it('has their sums, of those that finish what they run and of those that have ended too', () => {
    const finishing = [health({ state: 'stopping' })];
    const told = joined({ finishing, past: { ...NOTHING_DONE, received: 7 } });
    expect(told).toMatchObject({ state: 'running', running: 9, waiting: 6, setAside: 3, isReached: true });
    expect(told.counters).toEqual({ ...NOTHING_DONE, received: 37 });
  });

  it.each([
    ['one has not started, or says nothing', { places: [health(), undefined] }, { isReached: false }],
    ['one has not reached the queue', { places: [health({ isReached: false })] }, { isReached: false }],
    ['one stops', { places: [health(), health({ state: 'stopping' })] }, { state: 'stopping' }],
    ['all are to stop', { isStopping: true }, { state: 'stopping' }],
    ['receives fail', { places: [health(), health({ failuresInARow: 3 })] }, { failuresInARow: 3 }],
    ['a store is silent', { places: [health(), health({ storeSilentForMs: 9 })] }, { storeSilentForMs: 9 }],
    ['a store is down', { places: [health(), health({ down: ['claim-store'] })] }, { down: ['claim-store'] }],
  ])('is as that of its worst: %s', (_when, told, expected) => {
    expect(joined(told)).toMatchObject(expected);
  });
});
