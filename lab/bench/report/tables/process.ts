import type { Figures } from '../../figures.ts';
import { type ColdStartFigures, INIT_MS } from '../../sections/cold-start.ts';
import { kilobytes, megabytes, number, percent, spread, table, times, timesSpread } from '../format.ts';
import { FUNCTION_TITLES, TITLES } from '../lookup.ts';

export function memoryTable({ memory }: Figures): string {
  const peer = memory.find(({ contender }) => contender === 'powertools');
  return table(
    [
      '',
      'batches of 1,000',
      'peak RSS',
      'less than Powertools',
      'live heap, first and last sample',
      'growth per batch',
    ],
    memory.map(({ contender, batches, peakRssBytes, samples, heapBytesPerBatch }) => [
      TITLES[contender],
      number(batches),
      megabytes(peakRssBytes),
      peer === undefined ? '–' : times(peer.peakRssBytes / peakRssBytes),
      `${megabytes(samples[0]?.heapBytes ?? 0)}, ${megabytes(samples.at(-1)?.heapBytes ?? 0)}`,
      kilobytes(heapBytesPerBatch),
    ]),
  );
}

const BUNDLES: Readonly<Record<ColdStartFigures['bundle'], string>> = {
  whole: 'everything',
  'without-sdk': "all but AWS's SDK",
};

export function bundleTitle({ library, bundle }: Pick<ColdStartFigures, 'library' | 'bundle'>): string {
  return `${FUNCTION_TITLES[library]}, ${BUNDLES[bundle]} in the bundle`;
}

export function coldStartTable({ coldStart }: Figures): string {
  return table(
    [
      'in the bundle',
      'DynamoDB by',
      '',
      'minified',
      'gzip',
      'load, ms',
      'first batch, ms',
      'CPU, ms',
      'smaller',
      'faster to load',
      'faster to the first answer',
    ],
    coldStart.map(
      ({
        library,
        bundle,
        protocol,
        isAfterInit,
        bytes,
        gzipBytes,
        loadMs,
        firstBatchMs,
        cpuMs,
        timesLess,
      }) => [
        BUNDLES[bundle],
        library === 'empty' ? 'none' : `${protocol}${isAfterInit ? `, ${INIT_MS} ms after loading` : ''}`,
        FUNCTION_TITLES[library],
        kilobytes(bytes),
        kilobytes(gzipBytes),
        spread(loadMs),
        spread(firstBatchMs),
        spread(cpuMs),
        times(timesLess.bytes),
        timesSpread(timesLess.load),
        timesSpread(timesLess.total),
      ],
    ),
    3,
  );
}

export function lambdaStartTable({ lambdaStart }: Figures): string {
  return table(
    [
      'Node',
      'DynamoDB by',
      '',
      'process start to first answer, ms',
      'of it more than the empty function, ms',
      "share of Powertools'",
      'faster',
    ],
    lambdaStart.map(({ node, name, protocol, startMs, timesLess }) => {
      const empty = lambdaStart.find((one) => one.node === node && one.name === 'empty');
      const isEmpty = name === 'empty';
      return [
        String(node),
        isEmpty ? 'none' : protocol,
        FUNCTION_TITLES[name],
        spread(startMs),
        isEmpty || empty === undefined ? '–' : number(startMs.median - empty.startMs.median),
        timesLess === undefined ? '–' : percent(1 / timesLess.median),
        timesLess === undefined ? '–' : timesSpread(timesLess),
      ];
    }),
    3,
  );
}
