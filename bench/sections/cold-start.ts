import { sqsEvent } from 'batchlatch/testing';
import { bundleFunction, type FunctionBundle } from '../harness/build.ts';
import type { Lab } from '../harness/lab.ts';
import { loadInNewProcess } from '../harness/load-process.ts';
import type { Progress } from '../harness/progress.ts';
import type { Plan } from '../plan.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import type { LoadResult } from '../worker/load-function.ts';
import { ensureTable } from '../worker/table.ts';

type SdkChoice = 'left-out' | 'included';

export interface ColdStartFigures {
  readonly library: 'batchlatch' | 'powertools';
  readonly sdk: SdkChoice;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly packages: FunctionBundle['packages'];
  readonly loadMs: Spread;
  readonly firstBatchMs: Spread;
  readonly cpuMs: Spread;
  /** How many times less than Powertools with the same SDK choice. */
  readonly timesLess: { readonly bytes: number; readonly load: Spread; readonly total: Spread };
}

interface Bundled {
  readonly library: ColdStartFigures['library'];
  readonly sdk: SdkChoice;
  readonly bundle: FunctionBundle;
  readonly starts: LoadResult[];
}

/** The same function with both libraries, bundled and minified, loaded in new processes that take turns. */
export async function measureColdStart(
  lab: Lab,
  { coldStart: { starts } }: Plan,
  progress: Progress,
): Promise<ColdStartFigures[]> {
  progress.section('cold start', starts);
  const bundles: Bundled[] = [];
  for (const sdk of ['left-out', 'included'] as const) {
    for (const library of ['powertools', 'batchlatch'] as const) {
      await ensureTable(lab.emulator.endpoint, tableOf(library));
      bundles.push({ library, sdk, bundle: await bundleFunction(library, sdk), starts: [] });
    }
  }
  // The first round reads the files from the disk, and does not count.
  for (let start = 0; start <= starts; start += 1) {
    for (const one of bundles) {
      const result = await startOnce(lab, one);
      if (start > 0) one.starts.push(result);
    }
    progress.step();
  }
  return bundles.map((one) => figuresOf(one, peerOf(one, bundles)));
}

async function startOnce(lab: Lab, { library, bundle }: Bundled): Promise<LoadResult> {
  const { endpoint } = lab.emulator;
  const event = sqsEvent([{ body: { order: 1 } }]);
  return loadInNewProcess({ bundle: bundle.file, event }, { endpoint, tableName: tableOf(library) });
}

function tableOf(library: Bundled['library']): string {
  return `${library}-cold-start`;
}

function peerOf({ sdk }: Bundled, bundles: readonly Bundled[]): Bundled {
  return bundles.find((other) => other.library === 'powertools' && other.sdk === sdk) as Bundled;
}

function figuresOf({ library, sdk, bundle, starts }: Bundled, peer: Bundled): ColdStartFigures {
  const loads = ({ starts: all }: Pick<Bundled, 'starts'>): number[] => all.map(({ loadMs }) => loadMs);
  const totals = ({ starts: all }: Pick<Bundled, 'starts'>): number[] =>
    all.map(({ loadMs, firstBatchMs }) => loadMs + firstBatchMs);
  return {
    library,
    sdk,
    bytes: bundle.bytes,
    gzipBytes: bundle.gzipBytes,
    packages: bundle.packages.slice(0, 8),
    loadMs: spreadOf(loads({ starts })),
    firstBatchMs: spreadOf(starts.map(({ firstBatchMs }) => firstBatchMs)),
    cpuMs: spreadOf(starts.map(({ cpuMs }) => cpuMs)),
    timesLess: {
      bytes: peer.bundle.bytes / bundle.bytes,
      load: pairedRatio(loads(peer), loads({ starts })),
      total: pairedRatio(totals(peer), totals({ starts })),
    },
  };
}
