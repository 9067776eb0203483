/** What `docs/costs.md` measured of a library in batches of 10: milliseconds of a batch, microseconds of a record. */
export interface Measured {
  readonly wallMs: number;
  readonly cpuMicros: number;
}

export type Library = 'batchlatch' | 'powertools';

/** From the page's text: there is no second place for these figures. */
export function measuredOn(costsPage: string): Readonly<Record<Library, Measured>> {
  const wall = cellsOf(costsPage, 'wall time of a batch of 10, p50');
  const cpu = cellsOf(costsPage, 'client CPU per record, batch of 10');
  return {
    powertools: { wallMs: wall[0], cpuMicros: cpu[0] },
    batchlatch: { wallMs: wall[1], cpuMicros: cpu[1] },
  };
}

function cellsOf(page: string, row: string): readonly [number, number] {
  const line = page.split('\n').find((text) => text.startsWith(`| ${row} |`));
  const [powertools, batchlatch] = (line ?? '')
    .split('|')
    .slice(2, 4)
    .map((cell) => Number.parseFloat(cell.replaceAll(',', '')));
  if (powertools === undefined || batchlatch === undefined || Number.isNaN(powertools + batchlatch))
    throw new Error(`docs/costs.md has no row "${row}"`);
  return [powertools, batchlatch];
}
