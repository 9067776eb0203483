import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import { takeTurns } from '../harness/rounds.ts';
import type { CellPlan } from '../plan.ts';
import { median, pairedRatio, quantile, type Spread, spreadOf } from '../statistics.ts';
import type { BatchesResult } from '../worker/jobs.ts';
import type { Workload } from '../workload.ts';

/** One workload, measured for every contender. */
export interface Cell {
  readonly workload: Workload;
  readonly rounds: number;
  readonly batchesPerRound: number;
  readonly contenders: Readonly<Partial<Record<ContenderName, ContenderFigures>>>;
}

export interface ContenderFigures {
  readonly requestsPerRecord: number;
  /** Processor time of the client process for a record, in microseconds. */
  readonly cpuMicros: Spread;
  readonly recordsPerSecondPerCore: number;
  /** Of one batch; over all batches of all rounds. */
  readonly wallMs: { readonly p50: number; readonly p99: number; readonly batches: number };
  /** How many times less than the reference, round by round. The reference itself is 1. */
  readonly timesLess: { readonly requests: number; readonly cpu: Spread; readonly wall: Spread };
}

/** Measures a cell; ratios are to `reference`, one for all or one for each. */
export async function measureCell(
  lab: Lab,
  { workload, rounds, warmUps, batches }: CellPlan,
  contenders: readonly ContenderName[],
  reference: ContenderName | ((contender: ContenderName) => ContenderName),
  table?: { readonly endpoint: string; readonly tableName: string },
): Promise<Cell> {
  const results = await takeTurns(lab, {
    workload,
    contenders,
    rounds,
    warmUps,
    batchesPerRound: batches,
    ...(table !== undefined && { table }),
  });
  const referenceOf = typeof reference === 'string' ? () => reference : reference;
  const figures = [...results].map(
    ([contender, own]) => [contender, figuresOf(own, results.get(referenceOf(contender)) ?? [])] as const,
  );
  return { workload, rounds, batchesPerRound: batches, contenders: Object.fromEntries(figures) };
}

function figuresOf(own: readonly BatchesResult[], reference: readonly BatchesResult[]): ContenderFigures {
  const cpuMicros = spreadOf(own.map(cpuPerRecord));
  const wallMs = own.flatMap((round) => round.wallMs);
  return {
    requestsPerRecord: requestsPerRecord(own),
    cpuMicros,
    recordsPerSecondPerCore: 1_000_000 / cpuMicros.median,
    wallMs: { p50: quantile(wallMs, 0.5), p99: quantile(wallMs, 0.99), batches: wallMs.length },
    timesLess: {
      requests: requestsPerRecord(reference) / requestsPerRecord(own),
      cpu: pairedRatio(reference.map(cpuPerRecord), own.map(cpuPerRecord)),
      wall: pairedRatio(reference.map(medianWall), own.map(medianWall)),
    },
  };
}

function requestsPerRecord(rounds: readonly BatchesResult[]): number {
  const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
  return requests / rounds.reduce((sum, round) => sum + round.records, 0);
}

export function cpuPerRecord({ cpuMicros, records }: BatchesResult): number {
  return cpuMicros / records;
}

export function medianWall({ wallMs }: BatchesResult): number {
  return median(wallMs);
}
