import type { Figures } from '../figures.ts';
import { kilobytes, number, percent, table, times } from './format.ts';
import { coldStartOf, MIX_TITLES, onWay, type Way, WAYS } from './lookup.ts';
import { moneyTable, moneyText, pricesText } from './tables/money.ts';

/** The measured parts of docs/costs.md, by the name that their comments in the page have. */
export function costsBlocks(figures: Figures): Readonly<Record<string, string>> {
  return {
    client: clientTable(figures),
    money: [moneyTable(figures), moneyText(figures), pricesText()].join('\n\n'),
    bundles: bundlesTable(figures),
    parts: partsTable(figures),
  };
}

/**
 * The page with other text between `<!-- measured: name -->` and `<!-- end of name -->`. Throws when the page has not
 * each of them, once.
 */
export function withBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const [start, end] = [`<!-- measured: ${name} -->`, `<!-- end of ${name} -->`];
    const [before, rest, ...more] = text.split(start);
    const [, after, ...others] = (rest ?? '').split(end);
    if (before === undefined || after === undefined || more.length + others.length > 0) {
      throw new Error(`The page does not have \`${start}\` and \`${end}\` once`);
    }
    return `${before}${start}\n\n${block}\n\n${end}${after}`;
  }, page);
}

function clientTable(figures: Figures): string {
  const rows = [
    ...requestRows(figures),
    ...[
      { size: 10 },
      { size: 10, mix: 'duplicates' as const },
      { size: 10, mix: 'failures' as const },
      { size: 1_000 },
    ].flatMap((cell) => cpuRow(figures, cell)),
    ...[10, 1_000].flatMap((size) => cpuRow(figures, { size }, 'tls')),
    ...[10, 1_000].flatMap((size) => wallRow(figures, size)),
    ...loadRow(figures),
    ...lambdaRows(figures),
  ];
  return table(['handler of 0 ms', 'Powertools', 'batchlatch', ''], rows);
}

type Cell = { readonly size: number; readonly mix?: 'duplicates' | 'failures' };

function requestRows(figures: Figures): string[][] {
  return [10, 1_000].flatMap((size) => {
    const { powertools: peer, batchlatch: own } = onWay(figures, 'http', { size });
    if (peer === undefined || own === undefined) return [];
    return [
      [
        `requests per record, batch of ${number(size)}`,
        number(peer.requestsPerRecord),
        number(own.requestsPerRecord),
        `${times(own.timesLess.requests)} fewer`,
      ],
    ];
  });
}

function cpuRow(figures: Figures, cell: Cell, way: Way = 'http'): string[][] {
  const { powertools: peer, batchlatch: own } = onWay(figures, way, cell);
  if (peer === undefined || own === undefined) return [];
  const records = cell.mix === undefined ? '' : `, ${MIX_TITLES[cell.mix]}`;
  return [
    [
      `client CPU per record${WAYS[way].title}, batch of ${number(cell.size)}${records}`,
      `${number(peer.cpuMicros.median)} µs`,
      `${number(own.cpuMicros.median)} µs`,
      `${times(own.timesLess.cpu.median)} less`,
    ],
  ];
}

function wallRow(figures: Figures, size: number): string[][] {
  const { powertools: peer, batchlatch: own } = onWay(figures, 'http', { size });
  if (peer === undefined || own === undefined) return [];
  return [
    [
      `wall time of a batch of ${number(size)}, p50`,
      `${number(peer.wallMs.p50)} ms`,
      `${number(own.wallMs.p50)} ms`,
      `${times(own.timesLess.wall.median)} less`,
    ],
  ];
}

function loadRow(figures: Figures): string[][] {
  const peer = coldStartOf(figures, 'powertools', 'whole');
  const own = coldStartOf(figures, 'batchlatch', 'whole');
  if (peer === undefined || own === undefined) return [];
  return [
    [
      'load and first answer in a new process',
      `${number(peer.loadMs.median + peer.firstBatchMs.median)} ms`,
      `${number(own.loadMs.median + own.firstBatchMs.median)} ms`,
      `${percent(1 / own.timesLess.total.median)} of it`,
    ],
  ];
}

function lambdaRows({ lambdaStart }: Figures): string[][] {
  return lambdaStart
    .filter(({ name }) => name === 'batchlatch')
    .flatMap((own) => {
      const peer = lambdaStart.find(
        ({ node, protocol, name }) => name === 'powertools' && node === own.node && protocol === own.protocol,
      );
      if (peer === undefined || own.timesLess === undefined) return [];
      return [
        [
          `start to first answer in Lambda's runtime client, Node ${own.node}, ${own.protocol}`,
          `${number(peer.startMs.median)} ms`,
          `${number(own.startMs.median)} ms`,
          `${percent(1 / own.timesLess.median)} of it`,
        ],
      ];
    });
}

const PRESET = 'createBatchProcessor of batchlatch';

function bundlesTable(figures: Figures): string {
  const ofStart = (library: 'powertools' | 'batchlatch', title: string): string[][] => {
    const whole = coldStartOf(figures, library, 'whole');
    const withoutSdk = coldStartOf(figures, library, 'without-sdk');
    if (whole === undefined || withoutSdk === undefined) return [];
    return [[title, kilobytes(whole.bytes), kilobytes(withoutSdk.bytes)]];
  };
  // The preset is measured above, as the function that starts.
  const wholes = figures.sizes.filter(({ kind, name }) => kind === 'whole' && name !== PRESET);
  return table(
    ['a function with', 'everything', "without AWS's SDK"],
    [
      ...ofStart('powertools', 'Powertools batch and idempotency'),
      ...ofStart('batchlatch', 'createBatchProcessor of batchlatch, with its defaults'),
      ...wholes.map(({ name, bytes }) => [name, '', kilobytes(bytes)]),
    ],
  );
}

/** Imports that add about as much share a row; what adds less than half a KB is left out. */
function partsTable({ sizes }: Figures): string {
  const byKilobytes = new Map<number, string[]>();
  for (const { kind, name, bytes } of sizes) {
    const rounded = Math.round(bytes / 1_024);
    if (kind !== 'part' || rounded === 0) continue;
    byKilobytes.set(rounded, [...(byKilobytes.get(rounded) ?? []), `\`${name}\``]);
  }
  const rows = [...byKilobytes].sort(([a], [b]) => b - a);
  return table(
    ['each adds, when it is imported', 'KB'],
    rows.map(([rounded, names]) => [names.join(', '), String(rounded)]),
  );
}
