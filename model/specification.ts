import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stateOfItf } from './itf.ts';
import type { Instance, State } from './state.ts';

const SPECIFICATION = path.join(import.meta.dirname, 'claim.qnt');
const QUINT = createRequire(import.meta.url).resolve('@informalsystems/quint/dist/src/cli.js');

/** The modules of model/claim.qnt that give the constants their values. */
export type InstanceName = 'ownClocks' | 'serverClock' | 'oneKey';

/** The constants of an instance, as the specification says them. */
export function instanceOf(name: InstanceName): Instance {
  const text = readFileSync(SPECIFICATION, 'utf8');
  const body = new RegExp(`module ${name} \\{([^}]*)\\}`).exec(text)?.[1] ?? '';
  const names = (constant: string): string[] => {
    const set = new RegExp(`${constant} = Set\\(([^)]*)\\)`).exec(body)?.[1] ?? '';
    return set.split(',').map((quoted) => quoted.trim().slice(1, -1));
  };
  const number = (constant: string): number => Number(new RegExp(`${constant} = (\\d+)`).exec(body)?.[1]);
  return {
    keys: names('KEYS'),
    owners: names('OWNERS'),
    people: names('PEOPLE'),
    payloads: names('PAYLOADS'),
    tolerance: number('TOLERANCE'),
    lastTime: number('LAST_TIME'),
  };
}

export interface SimulationOptions {
  readonly instance: InstanceName;
  /** How many runs at most. */
  readonly samples: number;
  /** How many of them are kept; a run that breaks the invariant is always. */
  readonly traces: number;
  readonly steps: number;
  readonly seed: number;
  readonly invariant: string;
  /** The action that makes a step. Default: `step`. */
  readonly step?: string;
  /** A guard that is taken out of the specification. */
  readonly without?: string;
}

export interface Simulation {
  readonly isViolated: boolean;
  readonly traces: readonly (readonly State[])[];
}

/** Checks the types of the specification. Throws with what is wrong. */
export async function typecheck(): Promise<void> {
  const { code, output } = await quint(['typecheck', SPECIFICATION]);
  if (code !== 0) throw new Error(`model/claim.qnt: ${output}`);
}

/** Runs the specification at random by `quint run`, and gives the traces that it kept. */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-model-'));
  try {
    await mkdir(path.join(folder, 'traces'));
    const file = path.join(folder, 'claim.qnt');
    await writeFile(file, specificationWithout(options.without));
    const settings = {
      main: options.instance,
      backend: 'typescript',
      invariant: options.invariant,
      verbosity: 1,
      seed: options.seed,
      step: options.step ?? 'step',
      'max-samples': options.samples,
      'max-steps': options.steps,
      'n-traces': options.traces,
      'out-itf': path.join(folder, 'traces', 'trace_{seq}.itf.json'),
    };
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const { code, output } = await quint(['run', file, '--mbt', ...flags]);
    const isViolated = output.includes('[violation]');
    if (!isViolated && (code !== 0 || !output.includes('[ok]'))) throw new Error(`quint run: ${output}`);
    return { isViolated, traces: await tracesIn(path.join(folder, 'traces')) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function specificationWithout(guard: string | undefined): string {
  const text = readFileSync(SPECIFICATION, 'utf8');
  if (guard === undefined) return text;
  if (!text.includes(`keeps("${guard}")`) && !text.includes(`"${guard}")`)) {
    throw new Error(`model/claim.qnt has no guard "${guard}"`);
  }
  return text.replaceAll('WITHOUT = ""', `WITHOUT = "${guard}"`);
}

async function tracesIn(folder: string): Promise<State[][]> {
  const traces: State[][] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const { states } = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as {
      readonly states: readonly Readonly<Record<string, unknown>>[];
    };
    traces.push(states.map(stateOfItf));
  }
  return traces;
}

function quint(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [QUINT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const note = (chunk: unknown): void => void (output += String(chunk));
    child.stdout.on('data', note);
    child.stderr.on('data', note);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
