import { type ContenderName, serverOf, usesDynamoDB } from '../contenders/index.ts';
import type { BatchesResult } from '../worker/jobs.ts';
import { emptyTable } from '../worker/table.ts';
import type { Workload } from '../workload.ts';
import type { Lab } from './lab.ts';

export interface RoundsPlan {
  readonly workload: Workload;
  readonly contenders: readonly ContenderName[];
  readonly rounds: number;
  /** Rounds before them that do not count. */
  readonly warmUps: number;
  readonly batchesPerRound: number;
  /** Default: each contender's own, which is empty before the first round. */
  readonly table?: { readonly endpoint: string; readonly tableName: string };
  readonly onRound?: () => void;
}

/**
 * Rounds take turns, A B C, B C A, …: whatever the machine does meanwhile happens to all of them. Answers
 * each contender's measured rounds, in order.
 */
export async function takeTurns(
  lab: Lab,
  { workload, contenders, rounds, warmUps, batchesPerRound, table, onRound }: RoundsPlan,
): Promise<Map<ContenderName, BatchesResult[]>> {
  const results = new Map<ContenderName, BatchesResult[]>(contenders.map((contender) => [contender, []]));
  const cell = nextCell();
  for (const contender of contenders) {
    if (table === undefined && usesDynamoDB(contender))
      await emptyTable(lab.emulator.endpoint, tableOf(contender, cell));
  }
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const contender of inTurn(contenders, round)) {
      const result = await lab.workerOf(contender).run('batches', {
        contender,
        endpoint: table?.endpoint ?? lab.endpointOf(contender),
        tableName: table?.tableName ?? tableOf(contender, cell),
        workload,
        batches: batchesPerRound,
        seed: `${cell}:${round}`,
      });
      if (round >= warmUps) results.get(contender)?.push(result);
    }
    onRound?.();
  }
  return results;
}

/**
 * The table of a contender's claims, the same for all cells: a new one would need a new processor, for which
 * V8 compiles again what it had compiled for the last, and a function has one. Claims in memory start anew.
 */
export function tableOf(contender: ContenderName, cell: string): string {
  return serverOf(contender) === undefined ? `${contender}-${cell}` : contender;
}

/** Everybody, in the order of a round: each is first once, then the next. */
export function inTurn<One>(all: readonly One[], round: number): One[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

let cells = 0;

/** A name for the tables and events of one cell, so that no two cells share a record. */
export function nextCell(): string {
  cells += 1;
  return `cell-${cells}`;
}
