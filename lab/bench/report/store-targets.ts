import { ON_SERVERS } from '../compared.ts';
import type { ContenderName } from '../contenders/index.ts';
import type { Figures } from '../figures.ts';
import type { ContenderFigures } from '../sections/cells.ts';
import { number, percent, times } from './format.ts';
import { figuresOf, TITLES } from './lookup.ts';
import { profileSentence } from './reasons.ts';
import { type Target, withReason } from './target.ts';

type Server = keyof typeof ON_SERVERS;

/** A way to keep claims on a server that has targets. */
interface Way {
  readonly server: Server;
  readonly own: ContenderName;
  readonly title: string;
}

const [postgres, prepared] = ON_SERVERS.postgres.own;
const [redis] = ON_SERVERS.redis.own;
const WAYS: readonly Way[] = [
  { server: 'postgres', own: postgres, title: 'PostgreSQL' },
  { server: 'postgres', own: prepared, title: 'PostgreSQL, prepared' },
  { server: 'redis', own: redis, title: 'Redis' },
];
/** What is sent to a server. */
const SENT: Readonly<Record<Server, string>> = { postgres: 'statements', redis: 'commands' };

const SIZES = [10, 100, 1_000] as const;
type BySize = Readonly<Record<(typeof SIZES)[number], number>>;
/** Redis does nothing else while a script runs, so it gets two to claim 1,000 records and two to settle them. */
const MOST_SENT: Readonly<Record<Server, BySize>> = {
  postgres: { 10: 2, 100: 2, 1_000: 2 },
  redis: { 10: 2, 100: 2, 1_000: 4 },
};
/** How many times less CPU, by the size of a batch. */
const LESS_CPU: Readonly<Record<Server, BySize>> = {
  postgres: { 10: 2, 100: 5, 1_000: 8 },
  redis: { 10: 3, 100: 5, 1_000: 6 },
};
const WALL_SIZE = 100;
const MOST_OF_WALL = 1 / 3;

/** The targets of the stores that have a server, beside who takes each record by itself there. */
export function storeTargetsOf(figures: Figures): Target[] {
  return WAYS.flatMap((way) =>
    [
      ...SIZES.map((size) => sent(figures, way, size)),
      ...SIZES.map((size) => cpu(figures, way, size)),
      wall(figures, way),
    ].filter((target) => target !== undefined),
  );
}

function sent(figures: Figures, way: Way, size: (typeof SIZES)[number]): Target | undefined {
  const own = ownFigures(figures, way, size);
  if (own === undefined) return undefined;
  const count = own.requestsPerRecord * size;
  const most = MOST_SENT[way.server][size];
  return withReason(
    {
      figure: `${way.title}: ${SENT[way.server]} for a batch of ${number(size)}`,
      wanted: `at most ${most}`,
      measured: number(count),
      isReached: count <= most * 1.001,
    },
    () => 'More handlers were still running when the settlements of the first had waited long enough.',
  );
}

function cpu(figures: Figures, way: Way, size: (typeof SIZES)[number]): Target | undefined {
  const own = ownFigures(figures, way, size);
  if (own === undefined) return undefined;
  const ratio = own.timesLess.cpu.median;
  const wanted = LESS_CPU[way.server][size];
  return withReason(
    {
      figure: `${way.title}: client CPU per record, batches of ${number(size)}`,
      wanted: `${wanted}× less than ${perRecord(way)}`,
      measured: times(ratio),
      isReached: ratio >= wanted,
    },
    () => whyCpu(figures, way, size),
  );
}

/** How far the library is from the target by itself, and the bare statements, and where the time goes. */
function whyCpu(figures: Figures, { server, own }: Way, size: number): string {
  const { perRecord: other, floor } = ON_SERVERS[server];
  const micros = (contender: ContenderName): number | undefined =>
    figuresOf(figures.stores.cells, { size }, contender)?.cpuMicros.median;
  const otherMicros = micros(other);
  const alone = micros('batchlatch-memory');
  const bare = micros(floor);
  const less = (one: number): string =>
    otherMicros === undefined
      ? ''
      : `, ${times(otherMicros / one)} less than the ${number(otherMicros)} µs of ${TITLES[other]}`;
  return [
    alone !== undefined &&
      `With claims in memory, where nothing is sent, a record takes ${number(alone)} µs${less(alone)}.`,
    bare !== undefined &&
      `With two bare ${SENT[server]} for a batch and nothing around them it takes ${number(bare)} µs${less(bare)}.`,
    profileSentence(figures.stores.profiles, own, { size }),
  ]
    .filter(Boolean)
    .join(' ');
}

function wall(figures: Figures, way: Way): Target | undefined {
  const own = ownFigures(figures, way, WALL_SIZE);
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess.wall.median;
  return withReason(
    {
      figure: `${way.title}: wall time of a batch of ${number(WALL_SIZE)}`,
      wanted: `at most ${percent(MOST_OF_WALL)} of ${perRecord(way)}`,
      measured: percent(share),
      isReached: share <= MOST_OF_WALL,
    },
    () => whyWall(figures, way, own),
  );
}

function whyWall(figures: Figures, { server, own }: Way, { cpuMicros, wallMs }: ContenderFigures): string {
  const clientMs = (cpuMicros.median * WALL_SIZE) / 1_000;
  const floor = figuresOf(figures.stores.cells, { size: WALL_SIZE }, ON_SERVERS[server].floor)?.wallMs.p50;
  const bare =
    floor === undefined ? '' : `Two bare ${SENT[server]} with nothing around them take ${number(floor)} ms. `;
  return (
    `Of ${number(wallMs.p50)} ms the client computes for ${number(clientMs)} ms; the rest is the server. ${bare}` +
    profileSentence(figures.stores.profiles, own, { size: WALL_SIZE })
  );
}

function ownFigures({ stores }: Figures, { server, own }: Way, size: number): ContenderFigures | undefined {
  if (figuresOf(stores.cells, { size }, ON_SERVERS[server].perRecord) === undefined) return undefined;
  return figuresOf(stores.cells, { size }, own);
}

function perRecord({ server }: Way): string {
  return `${TITLES[ON_SERVERS[server].perRecord]}, record by record`;
}
