import { ON_SERVERS } from '../compared.ts';
import type { Figures } from '../figures.ts';
import type { ContenderFigures } from '../sections/cells.ts';
import { number, percent, times } from './format.ts';
import { figuresOf, TITLES } from './lookup.ts';
import { profileSentence } from './reasons.ts';
import { type Target, withReason } from './target.ts';

type Server = keyof typeof ON_SERVERS;

const SERVER_TITLES: Readonly<Record<Server, string>> = { postgres: 'PostgreSQL', redis: 'Redis' };
/** What is sent to a server. */
const SENT: Readonly<Record<Server, string>> = { postgres: 'statements', redis: 'commands' };

const SIZES = [10, 100, 1_000] as const;
const MOST_SENT = 2;
const LESS_CPU = 5;
const WALL_SIZE = 100;
const MOST_OF_WALL = 1 / 3;

/** The targets of the stores that have a server, beside who takes each record by itself there. */
export function storeTargetsOf(figures: Figures): Target[] {
  return (['postgres', 'redis'] as const).flatMap((server) =>
    [
      ...SIZES.map((size) => sent(figures, server, size)),
      ...SIZES.map((size) => cpu(figures, server, size)),
      wall(figures, server),
    ].filter((target) => target !== undefined),
  );
}

function sent(figures: Figures, server: Server, size: number): Target | undefined {
  const own = ownFigures(figures, server, size);
  if (own === undefined) return undefined;
  const count = own.requestsPerRecord * size;
  return withReason(
    {
      figure: `${SERVER_TITLES[server]}: ${SENT[server]} for a batch of ${number(size)}`,
      wanted: `at most ${MOST_SENT}`,
      measured: number(count),
      isReached: count <= MOST_SENT * 1.001,
    },
    () => WHY_MORE[server],
  );
}

const WHY_MORE: Readonly<Record<Server, string>> = {
  postgres: 'More handlers were still running when the settlements of the first had waited long enough.',
  redis:
    'Redis does nothing else while a script runs, so a larger batch is claimed and settled by several scripts, each of ' +
    'which is short.',
};

function cpu(figures: Figures, server: Server, size: number): Target | undefined {
  const own = ownFigures(figures, server, size);
  if (own === undefined) return undefined;
  const ratio = own.timesLess.cpu.median;
  return withReason(
    {
      figure: `${SERVER_TITLES[server]}: client CPU per record, batches of ${number(size)}`,
      wanted: `${LESS_CPU}× less than ${perRecord(server)}`,
      measured: times(ratio),
      isReached: ratio >= LESS_CPU,
    },
    () => whyCpu(figures, server, size),
  );
}

/** How far the library is from the target by itself, and where the time goes. */
function whyCpu(figures: Figures, server: Server, size: number): string {
  const { own, perRecord } = ON_SERVERS[server];
  const alone = figuresOf(figures.stores.cells, { size }, 'batchlatch-memory')?.cpuMicros.median;
  const other = figuresOf(figures.stores.cells, { size }, perRecord)?.cpuMicros.median;
  const atBest =
    alone === undefined || other === undefined
      ? ''
      : `With claims in memory, where nothing is sent, a record takes ${number(alone)} µs, ${times(other / alone)} less ` +
        `than the ${number(other)} µs of ${TITLES[perRecord]}. `;
  return `${atBest}${profileSentence(figures.stores.profiles, own[0], { size })}`;
}

function wall(figures: Figures, server: Server): Target | undefined {
  const own = ownFigures(figures, server, WALL_SIZE);
  if (own === undefined) return undefined;
  const share = 1 / own.timesLess.wall.median;
  return withReason(
    {
      figure: `${SERVER_TITLES[server]}: wall time of a batch of ${number(WALL_SIZE)}`,
      wanted: `at most ${percent(MOST_OF_WALL)} of ${perRecord(server)}`,
      measured: percent(share),
      isReached: share <= MOST_OF_WALL,
    },
    () => whyWall(figures, server, own),
  );
}

function whyWall(figures: Figures, server: Server, { cpuMicros, wallMs }: ContenderFigures): string {
  const clientMs = (cpuMicros.median * WALL_SIZE) / 1_000;
  return (
    `Of ${number(wallMs.p50)} ms the client computes for ${number(clientMs)} ms; the rest is the server. ` +
    profileSentence(figures.stores.profiles, ON_SERVERS[server].own[0], { size: WALL_SIZE })
  );
}

function ownFigures({ stores }: Figures, server: Server, size: number): ContenderFigures | undefined {
  const { own, perRecord } = ON_SERVERS[server];
  if (figuresOf(stores.cells, { size }, perRecord) === undefined) return undefined;
  return figuresOf(stores.cells, { size }, own[0]);
}

function perRecord(server: Server): string {
  return `${TITLES[ON_SERVERS[server].perRecord]}, record by record`;
}
