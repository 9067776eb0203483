import { sqsEvent } from 'batchlatch/testing';
import { type BundleKind, bundleFunction, type FunctionBundle, type FunctionName } from '../harness/build.ts';
import type { Lab } from '../harness/lab.ts';
import { loadInNewProcess } from '../harness/load-process.ts';
import type { Progress } from '../harness/progress.ts';
import { inTurn } from '../harness/rounds.ts';
import { startTlsProxy, type TlsProxy } from '../harness/tls-proxy.ts';
import type { Plan } from '../plan.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import type { LoadResult } from '../worker/load-function.ts';
import { ensureTable } from '../worker/table.ts';

export interface ColdStartFigures {
  readonly library: FunctionName;
  readonly bundle: BundleKind;
  /** How DynamoDB is reached. */
  readonly protocol: 'http' | 'https';
  /** Whether the event comes when loading has ended for a while, as after INIT. */
  readonly isAfterInit: boolean;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly packages: FunctionBundle['packages'];
  readonly loadMs: Spread;
  readonly firstBatchMs: Spread;
  readonly cpuMs: Spread;
  /** How many times less than Powertools in the same kind of bundle, over the same protocol. */
  readonly timesLess: { readonly bytes: number; readonly load: Spread; readonly total: Spread };
}

interface Started {
  readonly library: ColdStartFigures['library'];
  readonly kind: BundleKind;
  readonly protocol: ColdStartFigures['protocol'];
  readonly isAfterInit: boolean;
  readonly bundle: FunctionBundle;
  readonly starts: LoadResult[];
}

const STARTED = [
  ['empty', 'whole', 'http'],
  ['floor', 'whole', 'http'],
  ['powertools', 'without-sdk', 'http'],
  ['batchlatch', 'without-sdk', 'http'],
  ['powertools', 'whole', 'http'],
  ['batchlatch', 'whole', 'http'],
  ['powertools', 'whole', 'https'],
  ['batchlatch', 'whole', 'https'],
  ['powertools', 'whole', 'https', 'after INIT'],
  ['batchlatch', 'whole', 'https', 'after INIT'],
] as const;

/** For how long nothing happens between loading and an event after INIT, in milliseconds. */
export const INIT_MS = 100;

/** The same function with both libraries, bundled and minified, loaded in new processes that take turns. */
export async function measureColdStart(
  lab: Lab,
  { coldStart: { starts } }: Plan,
  progress: Progress,
): Promise<ColdStartFigures[]> {
  progress.section('cold start', starts + 1);
  const tls = lab.add(await startTlsProxy(lab.emulator.endpoint));
  const started = await bundleAll(lab);
  // The first round reads the files from the disk, and does not count.
  for (let start = 0; start <= starts; start += 1) {
    for (const one of inTurn(started, start)) {
      const result = await startOnce(lab, one, tls);
      if (start > 0) one.starts.push(result);
    }
    progress.step();
  }
  await tls.stop();
  return started.map((one) => figuresOf(one, peerOf(one, started)));
}

async function bundleAll(lab: Lab): Promise<Started[]> {
  const started: Started[] = [];
  for (const [library, kind, protocol, after] of STARTED) {
    await ensureTable(lab.emulator.endpoint, tableOf(library));
    const bundle = await bundleFunction(library, kind);
    started.push({ library, kind, protocol, isAfterInit: after !== undefined, bundle, starts: [] });
  }
  return started;
}

async function startOnce(
  lab: Lab,
  { library, protocol, isAfterInit, bundle }: Started,
  tls: TlsProxy,
): Promise<LoadResult> {
  const event = sqsEvent([{ body: { order: 1 } }]);
  const where = protocol === 'https' ? tls : { endpoint: lab.emulator.endpoint };
  const pauseMs = isAfterInit ? INIT_MS : 0;
  return loadInNewProcess({ bundle: bundle.file, event, pauseMs }, { tableName: tableOf(library), ...where });
}

function tableOf(library: ColdStartFigures['library']): string {
  return `${library}-cold-start`;
}

function peerOf({ kind, protocol, isAfterInit }: Started, all: readonly Started[]): Started {
  return all.find(
    (other) =>
      other.library === 'powertools' &&
      other.kind === kind &&
      other.protocol === protocol &&
      other.isAfterInit === isAfterInit,
  ) as Started;
}

function figuresOf(
  { library, kind, protocol, isAfterInit, bundle, starts }: Started,
  peer: Started,
): ColdStartFigures {
  const loads = (all: readonly LoadResult[]): number[] => all.map(({ loadMs }) => loadMs);
  const totals = (all: readonly LoadResult[]): number[] =>
    all.map(({ loadMs, firstBatchMs }) => loadMs + firstBatchMs);
  return {
    library,
    bundle: kind,
    protocol,
    isAfterInit,
    bytes: bundle.bytes,
    gzipBytes: bundle.gzipBytes,
    packages: bundle.packages,
    loadMs: spreadOf(loads(starts)),
    firstBatchMs: spreadOf(starts.map(({ firstBatchMs }) => firstBatchMs)),
    cpuMs: spreadOf(starts.map(({ cpuMs }) => cpuMs)),
    timesLess: {
      bytes: peer.bundle.bytes / bundle.bytes,
      load: pairedRatio(loads(peer.starts), loads(starts)),
      total: pairedRatio(totals(peer.starts), totals(starts)),
    },
  };
}
