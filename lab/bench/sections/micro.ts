import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { WorkerProcess } from '../harness/worker-process.ts';
import type { CellPlan, Plan } from '../plan.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import type { HashJob } from '../worker/jobs.ts';
import { nameOf } from '../workload.ts';
import { type Cell, measureCell } from './cells.ts';
import { warmUp } from './warm-up.ts';

const IN_MEMORY: readonly ContenderName[] = [
  'powertools-memory',
  'batchlatch-memory',
  'batchlatch-memory-silent',
];

/** What the libraries cost by themselves: no DynamoDB, a handler that does nothing. */
export async function measureMemoryStore(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  await warmUp(lab, IN_MEMORY, plan.warmUpMs, progress);
  progress.section('memory store', plan.memoryStore.length);
  return measureCells(lab, plan.memoryStore, IN_MEMORY, 'powertools-memory', progress);
}

/** What routes cost a processor that has a schema and a key in any case. */
export async function measureRoutes(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  const contenders = ['batchlatch-memory-schema', 'batchlatch-memory-routes'] as const;
  const typed = { size: 10, handlerMs: 0, hasTypes: true };
  await warmUp(lab, contenders, plan.warmUpMs, progress, typed);
  progress.section('routes', plan.routes.length);
  return measureCells(lab, plan.routes, contenders, 'batchlatch-memory-schema', progress);
}

async function measureCells(
  lab: Lab,
  plans: readonly CellPlan[],
  contenders: readonly ContenderName[],
  reference: ContenderName,
  progress: Progress,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const cell of plans) {
    cells.push(await measureCell(lab, cell, contenders, reference));
    progress.step(nameOf(cell.workload));
  }
  return cells;
}

export interface HashFigures {
  readonly bytes: number;
  /** For a kilobyte of the payload as JSON. */
  readonly micros: Readonly<Record<HashJob['kind'], Spread>>;
  /** How many times more than SHA-256 over `JSON.stringify`. */
  readonly timesPlain: Readonly<Record<HashJob['kind'], Spread>>;
}

const KINDS: readonly HashJob['kind'][] = ['batchlatch', 'powertools', 'plain'];
/** Enough payload for some 20 ms. */
const HASHED_BYTES = 2_000_000;

/** The key made of a whole payload, by kilobyte. */
export async function measureHashes(
  lab: Lab,
  { hashes: { bytes, rounds } }: Plan,
  progress: Progress,
): Promise<HashFigures[]> {
  progress.section('payload hash', bytes.length);
  const worker = lab.add(new WorkerProcess());
  const figures: HashFigures[] = [];
  for (const size of bytes) {
    const micros = { batchlatch: [], powertools: [], plain: [] } as Record<HashJob['kind'], number[]>;
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of KINDS) {
        const repeat = Math.ceil(HASHED_BYTES / size);
        micros[kind].push((await worker.run('hashes', { kind, bytes: size, repeat })).microsPerKilobyte);
      }
    }
    figures.push({
      bytes: size,
      micros: byKind((kind) => spreadOf(micros[kind])),
      timesPlain: byKind((kind) => pairedRatio(micros[kind], micros.plain)),
    });
    progress.step(`${size} bytes`);
  }
  return figures;
}

function byKind<Value>(valueOf: (kind: HashJob['kind']) => Value): Record<HashJob['kind'], Value> {
  return { batchlatch: valueOf('batchlatch'), powertools: valueOf('powertools'), plain: valueOf('plain') };
}
