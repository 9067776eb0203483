import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../local/demo/seeded-random.ts';
import { type FaultProxy, type FaultRates, type Loss, startFaultProxy } from './fault-proxy.ts';
import type { HammeredStore, HammerSetup } from './hammer-setup.ts';
import type { HistoryLine } from './history.ts';
import { operationsOf } from './merge-history.ts';

export interface HammersSetup {
  /** With the server's own endpoint. */
  readonly store: HammeredStore;
  /** The bundled `hammer.ts`. */
  readonly program: string;
  readonly seed: number;
  /** How many processes there are at a time. */
  readonly processes: number;
  /** How many calls each of them makes, unless it is killed. */
  readonly calls: number;
  /** How many of them are killed, and replaced. */
  readonly kills: number;
  readonly rates: FaultRates;
  /** Where the history is written. */
  readonly historyFile: string;
  /** How much the clock of every other process is ahead. Default 0. */
  readonly clockAheadMs?: number;
}

export interface HammersReport {
  readonly operations: number;
  /** Those of which nobody knows whether they happened. */
  readonly unknown: number;
  readonly kills: number;
  readonly requestsLost: number;
  readonly answersLost: number;
  /** How often which operation had which answer: `acquire conflict`. */
  readonly answers: ReadonlyMap<string, number>;
}

/** A process, and its way to the server. */
interface Hammer {
  readonly client: number;
  readonly child: ChildProcess;
  readonly proxy: FaultProxy;
  readonly logFile: string;
  isReady: boolean;
}

/** Between two of them. */
const LONGEST_KILL_PAUSE_MS = 500;

/** Has processes make calls to a store over bad connections, kills some of them, and writes down the history of all. */
export async function runHammers(setup: HammersSetup): Promise<HammersReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hammers-'));
  const origin = process.hrtime.bigint();
  const offset = clockOffset(origin);
  const random = seededRandom(setup.seed);
  const all: Hammer[] = [];
  let clients = 0;
  const start = async (): Promise<Hammer> => {
    const hammer = await startHammer(setup, { client: clients++, folder, origin });
    all.push(hammer);
    return hammer;
  };
  try {
    const running = await Promise.all(Array.from({ length: setup.processes }, start));
    for (let kills = 0; kills < setup.kills;) {
      await delay(random.integer(LONGEST_KILL_PAUSE_MS));
      const index = random.integer(running.length);
      const victim = running[index];
      if (victim === undefined) continue;
      if (hasEnded(victim)) {
        await ended(victim.child); // on a fast machine before the last kill: then another makes more calls
      } else {
        if (!victim.isReady) continue;
        await kill(victim);
        kills += 1;
      }
      running[index] = await start();
    }
    await Promise.all(running.map(({ child }) => ended(child)));
    assertSteady(offset, clockOffset(origin));
    return await writeHistory(all, setup.historyFile);
  } finally {
    await Promise.all(all.map(kill));
    for (const { proxy } of all) proxy.stop();
    await rm(folder, { recursive: true });
  }
}

async function startHammer(
  { store, program, seed, calls, rates, clockAheadMs = 0 }: HammersSetup,
  { client, folder, origin }: { client: number; folder: string; origin: bigint },
): Promise<Hammer> {
  const { hostname, port } = new URL(store.endpoint);
  const own = seed * 1_000 + client;
  const proxy = await startFaultProxy({
    hostname,
    port: Number(port),
    random: seededRandom(own),
    rates,
    origin,
  });
  const endpoint = store.endpoint.replace(`:${port}`, `:${proxy.port}`);
  const logFile = path.join(folder, `${client}.jsonl`);
  const argument: HammerSetup = {
    store: { ...store, endpoint },
    seed: own,
    client,
    calls,
    logFile,
    origin: String(origin),
    clockAheadMs: client % 2 === 0 ? 0 : clockAheadMs,
  };
  const child = fork(program, [JSON.stringify(argument)], {
    execArgv: [],
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const hammer: Hammer = { client, child, proxy, logFile, isReady: false };
  child.once('message', () => (hammer.isReady = true));
  return hammer;
}

async function writeHistory(all: readonly Hammer[], file: string): Promise<HammersReport> {
  const lines = await Promise.all(
    all.map(async ({ client, logFile, proxy }) =>
      operationsOf(client, await readFile(logFile, 'utf8').catch(() => ''), proxy.losses),
    ),
  );
  const history = lines.flat().toSorted((one, other) => one.call - other.call);
  await writeFile(file, history.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const sum = (figure: (hammer: Hammer) => number): number =>
    all.reduce((total, hammer) => total + figure(hammer), 0);
  const lost = (what: Loss['of']): number =>
    sum(({ proxy }) => proxy.losses.filter(({ of }) => of === what).length);
  return {
    operations: history.length,
    unknown: history.filter(({ answer }) => answer === null).length,
    kills: sum(({ child }) => Number(child.signalCode === 'SIGKILL')),
    requestsLost: lost('request'),
    answersLost: lost('answer'),
    answers: answersIn(history),
  };
}

function answersIn(history: readonly HistoryLine[]): Map<string, number> {
  const answers = new Map<string, number>();
  for (const { request, answer } of history) {
    const what =
      answer?.tookOver === true ? 'acquire taken over' : `${request.op} ${answer?.status ?? 'unknown'}`;
    answers.set(what, (answers.get(what) ?? 0) + 1);
  }
  return answers;
}

/** A process that ends by itself has made all of its calls. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`A process ended with ${child.exitCode ?? child.signalCode}`);
}

async function kill({ child }: Hammer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function hasEnded({ child }: Hammer): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** How far the clock that leases go by is from the one that orders what happens, in milliseconds. */
function clockOffset(origin: bigint): number {
  const samples = Array.from(
    { length: 50 },
    () => Date.now() - Number(process.hrtime.bigint() - origin) / 1e6,
  );
  return Math.max(...samples);
}

const MOST_DRIFT_MS = 5;

/** Leases cannot be judged by a clock that was set meanwhile. */
function assertSteady(before: number, after: number): void {
  if (Math.abs(after - before) <= MOST_DRIFT_MS) return;
  throw new Error(
    `The machine's clock was set by ${Math.round(after - before)} ms during the run, so that its leases say nothing: run it again`,
  );
}
