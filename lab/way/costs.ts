import { createHook } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { batchOf, processorOf, runBatch } from './batches.ts';
import { BUILT, core } from './built.ts';

const RECORDS = 1_000;
/** Handlers that run at once when bytes are counted. */
export const HELD = 10_000;
const GROUPS = 100;
const SMALL_BATCH = 10;
/** Held on to: when a channel of this name is collected, Node forgets the one that took its place too. */
const REQUESTS = channel('batchlatch:request');

/** What each of 1,000 records costs. */
export interface Costs {
  /** Calls of functions of this package. */
  readonly calls: number;
  /** Functions that each record enters, and their files. */
  readonly functions: number;
  readonly files: readonly string[];
  readonly promises: number;
  /** Bytes of the heap that are allocated by code that V8 has not optimised, whether they are soon free again or not. */
  readonly allocated: number;
  /** Heap for each of 10,000 records whose handlers run. */
  readonly bytes: number;
  /** Requests to the store for each record of a batch of 10, and of 1,000. */
  readonly requests: readonly [number, number];
}

type NewStore = () => Parameters<typeof processorOf>[1];

export async function costsOf(newStore: NewStore, isFifo: boolean): Promise<Costs> {
  const processor = processorOf(core, newStore(), async () => undefined);
  const run = (count: number): Promise<unknown> => runBatch(processor, batchOf(count, isFifo ? GROUPS : 0));
  await run(10); // what is loaded and made once
  const called = await countCalls(() => run(RECORDS));
  const ofEach = called.filter(({ calls }) => calls >= RECORDS);
  return {
    calls: called.reduce((sum, { calls }) => sum + calls, 0) / RECORDS,
    functions: ofEach.length,
    files: [...new Set(ofEach.map(({ file }) => file))].toSorted(),
    promises: (await countPromises(() => run(RECORDS))) / RECORDS,
    allocated: Math.round((await leastAllocated((event) => runBatch(processor, event), isFifo)) / RECORDS),
    bytes: await heldBytes(newStore(), isFifo),
    requests: [
      (await countRequests(() => run(SMALL_BATCH))) / SMALL_BATCH,
      (await countRequests(() => run(RECORDS))) / RECORDS,
    ],
  };
}

/** The calls of each function of the package while `work` runs, as V8 counts them. */
async function countCalls(work: () => Promise<unknown>): Promise<{ file: string; calls: number }[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    if (!url.startsWith(BUILT)) return [];
    const file = url.slice(BUILT.length).replace(/\.js$/, '.ts');
    return functions.map(({ ranges }) => ({ file, calls: ranges[0]?.count ?? 0 }));
  });
}

async function countPromises(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return promises;
}

/**
 * The least of some batches: V8 allocates for its own purposes as well. No garbage may be collected meanwhile, so `npm run lab:way`
 * gives young objects more room than they take. Optimised code allocates a sixth less, and how soon V8 optimises depends on what else
 * the machine does, so it optimises nothing here.
 */
async function leastAllocated(
  work: (event: ReturnType<typeof batchOf>) => Promise<unknown>,
  isFifo: boolean,
): Promise<number> {
  let least = Infinity;
  for (let times = 0; times < 10; times += 1) {
    const event = batchOf(RECORDS, isFifo ? GROUPS : 0);
    const before = liveHeap();
    await work(event);
    least = Math.min(least, process.memoryUsage().heapUsed - before);
  }
  return least;
}

/** The requests without AWS's SDK, as the library's own channel tells of them. */
async function countRequests(work: () => Promise<unknown>): Promise<number> {
  let requests = 0;
  const note = (): void => void (requests += 1);
  REQUESTS.subscribe(note);
  await work();
  REQUESTS.unsubscribe(note);
  return requests;
}

async function heldBytes(store: Parameters<typeof processorOf>[1], isFifo: boolean): Promise<number> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let running = 0;
  // Not an async function: what a handler of its own holds while it waits is not counted.
  const work = (): Promise<void> => {
    running += 1;
    return held;
  };
  const processor = processorOf(core, store, work, HELD);
  const event = batchOf(HELD, isFifo ? HELD : 0);
  const before = liveHeap();
  const answer = runBatch(processor, event);
  while (running < HELD) await delay(10);
  const bytes = liveHeap() - before;
  release();
  await answer;
  return Math.round(bytes / HELD);
}

function liveHeap(): number {
  if (globalThis.gc === undefined)
    throw new Error('Run it with `npm run lab:way`, which exposes the garbage collector');
  for (let times = 0; times < 3; times += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}
