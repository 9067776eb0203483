import type { Figures } from '../../figures.ts';
import type { Spread } from '../../statistics.ts';
import { kilobytes, spread, table, times } from '../format.ts';

export function hashesTable({ hashes }: Figures): string {
  const show = (micros: Spread, ratio: Spread): string => `${spread(micros)}, ${times(ratio.median)}`;
  return table(
    [
      'payload',
      'SHA-256 of JSON.stringify, µs per KB',
      'batchlatch (RFC 8785, SHA-256)',
      'Powertools (sorted, MD5)',
    ],
    hashes.map(({ bytes, micros, timesPlain }) => [
      kilobytes(bytes),
      spread(micros.plain),
      show(micros.batchlatch, timesPlain.batchlatch),
      show(micros.powertools, timesPlain.powertools),
    ]),
  );
}
