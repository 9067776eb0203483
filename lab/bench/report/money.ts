import { type Bill, billOf, computeUsd } from '../bill.ts';
import type { ContenderName } from '../contenders/index.ts';
import type { Figures } from '../figures.ts';
import { USED } from '../compared.ts';
import type { Workload } from '../workload.ts';
import { figuresOf } from './lookup.ts';

/** What a million records of one workload cost with one contender. */
export interface ContenderBill {
  readonly workload: Workload;
  readonly contender: ContenderName;
  readonly bill: Bill;
}

const BILLED: readonly Workload[] = [
  { size: 10, handlerMs: 0, mix: 'first' },
  { size: 1_000, handlerMs: 0, mix: 'first' },
];

/** The bills that this run has figures for. */
export function billsOf({ comparison, capacity }: Figures): ContenderBill[] {
  return BILLED.flatMap((workload) =>
    USED.flatMap((contender) => {
      const speed = figuresOf(comparison, workload, contender);
      const units = capacity.find(
        (one) =>
          one.contender === contender &&
          one.workload.size === workload.size &&
          one.workload.mix === workload.mix,
      );
      if (speed === undefined || units === undefined) return [];
      const bill = billOf({
        size: workload.size,
        writeUnitsPerRecord: units.writeUnits,
        readUnitsPerRecord: units.readUnits,
        wallMs: speed.wallMs.p50,
        cpuMicros: speed.cpuMicros.median,
      });
      return [{ workload, contender, bill }];
    }),
  );
}

/** US dollars for a million starts in Lambda's runtime client over TLS, on the newest Node of the run. */
export interface StartBill {
  readonly node: number;
  readonly batchlatch: number;
  readonly powertools: number;
}

export function startsUsd({ lambdaStart }: Figures): StartBill | undefined {
  const node = Math.max(...lambdaStart.map((one) => one.node));
  const usdOf = (name: 'batchlatch' | 'powertools'): number | undefined => {
    const found = lambdaStart.find(
      (one) => one.node === node && one.protocol === 'https' && one.name === name,
    );
    return found && 1_000_000 * computeUsd(found.startMs.median);
  };
  const [batchlatch, powertools] = [usdOf('batchlatch'), usdOf('powertools')];
  return batchlatch === undefined || powertools === undefined ? undefined : { node, batchlatch, powertools };
}
