import type { ProcessHealth, WorkerCounters, WorkerHealth } from 'batchlatch/worker';

/** The health reports of a supervisor's processes. */
export interface ToldByProcesses {
  /** The last report for each place; undefined while its process starts or is silent. */
  readonly places: readonly (WorkerHealth | undefined)[];
  /** Reports of processes that are ending. */
  readonly finishing: readonly WorkerHealth[];
  /** Sums of the processes that have ended. */
  readonly past: WorkerCounters;
  readonly processes: readonly ProcessHealth[];
  readonly restarts: number;
  readonly isStopping: boolean;
}

export const NOTHING_DONE: WorkerCounters = {
  received: 0,
  acknowledged: 0,
  failed: 0,
  deleted: 0,
  receivedAgain: 0,
  handedBack: 0,
  receiveErrors: 0,
};

/** Joins health reports into one: sums, and ready only if every process is. */
export function joinedHealth({
  places,
  finishing,
  past,
  isStopping,
  ...more
}: ToldByProcesses): WorkerHealth {
  const working = places.filter((health) => health !== undefined);
  const all = [...working, ...finishing];
  const sum = (figure: (health: WorkerHealth) => number): number =>
    all.reduce((total, health) => total + figure(health), 0);
  return {
    ...more,
    state: isStopping ? 'stopping' : (working.find(({ state }) => state !== 'running')?.state ?? 'running'),
    running: sum(({ running }) => running),
    waiting: sum(({ waiting }) => waiting),
    setAside: sum(({ setAside }) => setAside),
    limit: sum(({ limit }) => limit),
    down: [...new Set(all.flatMap(({ down }) => down))],
    dependencies: [...new Set(all.flatMap(({ dependencies }) => dependencies))],
    pauseReason: undefined,
    counters: all.reduce((total, { counters }) => addCounters(total, counters), past),
    failuresInARow: Math.max(0, ...working.map(({ failuresInARow }) => failuresInARow)),
    isReached: working.length === places.length && working.every(({ isReached }) => isReached),
    storeSilentForMs: Math.max(0, ...working.map(({ storeSilentForMs }) => storeSilentForMs)),
  };
}

export function addCounters(a: WorkerCounters, b: WorkerCounters): WorkerCounters {
  return {
    received: a.received + b.received,
    acknowledged: a.acknowledged + b.acknowledged,
    failed: a.failed + b.failed,
    deleted: a.deleted + b.deleted,
    receivedAgain: a.receivedAgain + b.receivedAgain,
    handedBack: a.handedBack + b.handedBack,
    receiveErrors: a.receiveErrors + b.receiveErrors,
  };
}
