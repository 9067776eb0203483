import type { Figures } from '../../figures.ts';
import { kilobytes, megabytes, number, spread, table, times, timesSpread } from '../format.ts';
import { TITLES } from '../lookup.ts';

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

export function coldStartTable({ coldStart }: Figures): string {
  return table(
    [
      '',
      "AWS's SDK",
      'minified',
      'gzip',
      'load, ms',
      'first batch, ms',
      'CPU, ms',
      'smaller',
      'faster to load',
      'faster to the first answer',
    ],
    coldStart.map(({ library, sdk, bytes, gzipBytes, loadMs, firstBatchMs, cpuMs, timesLess }) => [
      TITLES[library],
      sdk === 'included' ? 'in the bundle' : 'left out',
      kilobytes(bytes),
      kilobytes(gzipBytes),
      spread(loadMs),
      spread(firstBatchMs),
      spread(cpuMs),
      times(timesLess.bytes),
      timesSpread(timesLess.load),
      timesSpread(timesLess.total),
    ]),
    2,
  );
}
