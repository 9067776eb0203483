import type { NodeVersion } from '../../test/support/components/node.ts';
import type { QueueWork } from './consumers/consumer.ts';
import type { Mix, Workload } from './workload.ts';

/** How much a run measures. */
export interface Plan {
  readonly isQuick: boolean;
  /** How long every contender works before it is measured. */
  readonly warmUpMs: number;
  readonly comparison: readonly CellPlan[];
  /** The same with TLS between client and emulator, as in AWS. */
  readonly overTls: readonly CellPlan[];
  /** The same with other settings: no log, other clients, requests one by one. */
  readonly variants: readonly CellPlan[];
  readonly memoryStore: readonly CellPlan[];
  readonly routes: readonly CellPlan[];
  readonly memory: { readonly batches: number; readonly batchesOfPowertools: number; readonly every: number };
  readonly coldStart: { readonly starts: number };
  /** In Lambda's runtime client. */
  readonly lambdaStart: { readonly nodes: readonly NodeVersion[]; readonly starts: number };
  /** What DynamoDB would charge for, batch by batch. */
  readonly capacity: readonly Workload[];
  readonly tableKeys: { readonly sizes: readonly number[]; readonly cell: CellPlan };
  readonly hashes: { readonly bytes: readonly number[]; readonly rounds: number };
  readonly profiles: readonly CellPlan[];
  readonly stores: { readonly cells: readonly CellPlan[]; readonly profiles: readonly CellPlan[] };
  /** Each consumer works at most so long on so many messages. */
  readonly queueWorker: {
    readonly cells: readonly QueueWork[];
    readonly rounds: number;
    readonly messages: number;
    readonly limitMs: number;
  };
  /** Each sender sends so many messages a round, for each share of throttled entries. */
  readonly senders: {
    readonly throttled: readonly number[];
    readonly rounds: number;
    readonly messages: number;
  };
}

export interface CellPlan {
  readonly workload: Workload;
  readonly rounds: number;
  readonly warmUps: number;
  readonly batches: number;
}

const SIZES = [10, 100, 1_000, 10_000] as const;
const MIXES: readonly Mix[] = ['first', 'duplicates', 'failures'];

/**
 * How many batches of a size make a round long enough to be measured, and how many rounds there are time for.
 * What small batches cost depends most on what ran before: they have a second of the same before they count.
 */
const FULL: Readonly<Record<(typeof SIZES)[number], Omit<CellPlan, 'workload'>>> = {
  10: { rounds: 9, warmUps: 12, batches: 30 },
  100: { rounds: 7, warmUps: 4, batches: 5 },
  1_000: { rounds: 7, warmUps: 2, batches: 1 },
  10_000: { rounds: 2, warmUps: 0, batches: 1 },
};

export const fullPlan: Plan = {
  isQuick: false,
  warmUpMs: 12_000,
  comparison: SIZES.flatMap((size) => workloadsOf(size).map((workload) => ({ workload, ...FULL[size] }))),
  overTls: [
    { ...FULL[10], workload: first(10) },
    { ...FULL[1_000], workload: first(1_000) },
  ],
  variants: [
    { ...FULL[10], workload: first(10) },
    { ...FULL[1_000], workload: first(1_000) },
  ],
  memoryStore: [
    { workload: first(10), rounds: 9, warmUps: 3, batches: 300 },
    { workload: first(1_000), rounds: 9, warmUps: 3, batches: 5 },
    { workload: first(10_000), rounds: 7, warmUps: 1, batches: 1 },
    { workload: { ...first(10_000), groups: 100 }, rounds: 5, warmUps: 1, batches: 1 },
  ],
  routes: [
    { workload: { ...first(10), hasTypes: true }, rounds: 9, warmUps: 3, batches: 300 },
    { workload: { ...first(1_000), hasTypes: true }, rounds: 9, warmUps: 3, batches: 5 },
  ],
  memory: { batches: 200, batchesOfPowertools: 60, every: 10 },
  coldStart: { starts: 15 },
  lambdaStart: { nodes: [22, 24], starts: 8 },
  capacity: capacityWorkloads(),
  tableKeys: {
    sizes: [1_000, 10_000, 100_000, 1_000_000],
    cell: { workload: first(100), rounds: 7, warmUps: 2, batches: 4 },
  },
  hashes: { bytes: [1_024, 10_240, 102_400], rounds: 9 },
  profiles: [
    { workload: first(10), rounds: 1, warmUps: 1, batches: 200 },
    { workload: { ...first(10), mix: 'duplicates' }, rounds: 1, warmUps: 1, batches: 200 },
    { workload: { ...first(10), mix: 'failures' }, rounds: 1, warmUps: 1, batches: 200 },
    { workload: first(1_000), rounds: 1, warmUps: 1, batches: 5 },
  ],
  stores: {
    cells: [
      // Some 50 ms of CPU a round: the process has slept while the others had their turns.
      ...ofMixes(10, { rounds: 9, warmUps: 2, batches: 180 }),
      ...ofMixes(100, { rounds: 7, warmUps: 2, batches: 36 }),
      ...ofMixes(1_000, { rounds: 9, warmUps: 3, batches: 6 }),
    ],
    profiles: [
      { workload: first(10), rounds: 1, warmUps: 0, batches: 200 },
      { workload: first(100), rounds: 1, warmUps: 0, batches: 30 },
      { workload: first(1_000), rounds: 1, warmUps: 0, batches: 5 },
    ],
  },
  queueWorker: {
    cells: [
      { handlerMs: 0, hasSlow: false },
      { handlerMs: 0, hasSlow: true },
      { handlerMs: 50, hasSlow: false },
      { handlerMs: 50, hasSlow: true },
    ],
    rounds: 3,
    messages: 4_000,
    limitMs: 3_000,
  },
  senders: { throttled: [0, 0.05], rounds: 5, messages: 2_000 },
};

export const quickPlan: Plan = {
  isQuick: true,
  warmUpMs: 500,
  comparison: [
    { workload: first(10), rounds: 2, warmUps: 0, batches: 10 },
    { workload: { ...first(10), mix: 'duplicates' }, rounds: 2, warmUps: 0, batches: 5 },
    { workload: { ...first(10), mix: 'failures' }, rounds: 2, warmUps: 0, batches: 5 },
    { workload: { ...first(10), handlerMs: 20 }, rounds: 2, warmUps: 0, batches: 5 },
    { workload: first(1_000), rounds: 1, warmUps: 0, batches: 1 },
  ],
  overTls: [{ workload: first(10), rounds: 2, warmUps: 0, batches: 5 }],
  variants: [],
  memoryStore: [
    { workload: first(10), rounds: 2, warmUps: 0, batches: 50 },
    { workload: first(1_000), rounds: 2, warmUps: 0, batches: 1 },
    { workload: { ...first(1_000), groups: 10 }, rounds: 2, warmUps: 0, batches: 1 },
  ],
  routes: [{ workload: { ...first(10), hasTypes: true }, rounds: 2, warmUps: 0, batches: 20 }],
  memory: { batches: 4, batchesOfPowertools: 2, every: 1 },
  coldStart: { starts: 2 },
  lambdaStart: { nodes: [24], starts: 2 },
  capacity: capacityWorkloads(),
  tableKeys: {
    sizes: [1_000, 10_000],
    cell: { workload: first(100), rounds: 2, warmUps: 0, batches: 1 },
  },
  hashes: { bytes: [1_024, 10_240], rounds: 2 },
  profiles: [{ workload: first(10), rounds: 1, warmUps: 0, batches: 50 }],
  stores: {
    cells: [{ workload: first(100), rounds: 2, warmUps: 0, batches: 2 }],
    profiles: [{ workload: first(100), rounds: 1, warmUps: 0, batches: 10 }],
  },
  queueWorker: {
    cells: [
      { handlerMs: 0, hasSlow: false },
      { handlerMs: 50, hasSlow: true },
    ],
    rounds: 1,
    messages: 300,
    limitMs: 1_000,
  },
  senders: { throttled: [0, 0.05], rounds: 1, messages: 200 },
};

function capacityWorkloads(): Workload[] {
  return [...MIXES.map((mix) => ({ ...first(10), mix })), first(1_000)];
}

function ofMixes(size: number, cell: Omit<CellPlan, 'workload'>): CellPlan[] {
  return MIXES.map((mix) => ({ workload: { size, handlerMs: 0, mix }, ...cell }));
}

function first(size: number): Workload {
  return { size, handlerMs: 0, mix: 'first' };
}

/** Everything for batches that take under a second; of 10,000 records what there is time for. */
function workloadsOf(size: number): Workload[] {
  const all = [0, 20].flatMap((handlerMs) => MIXES.map((mix) => ({ size, handlerMs, mix })));
  return size < 10_000 ? all : all.filter(({ handlerMs, mix }) => handlerMs === 0 || mix === 'first');
}
