import { readFileSync, writeFileSync } from 'node:fs';
import type { Report } from './report.ts';

const FILE = new URL('budgets.json', import.meta.url);
/** How much more than was measured a raised budget allows, by the last name. What is not named here is the same in every run. */
const ROOM: Readonly<Record<string, number>> = {
  calls: 1.03,
  functions: 1.03,
  promises: 1.03,
  bytes: 1.03,
  allocated: 1.05,
};

/** Figures by their names, such as `costs > FIFO queue, DynamoDB > calls`. */
export type Figures = ReadonlyMap<string, number>;

/** A figure that has no budget, is above it, or a budget of which there is no figure. */
export interface Problem {
  readonly name: string;
  readonly measured: number | undefined;
  readonly budget: number | undefined;
}

/** Returns the figures that have budgets: those that features can eat without anybody noticing. */
export function figuresOf({ costs, hiddenClasses, steps, bundles, source }: Report): Figures {
  const { staticModules, proxies, symbolsFor } = source;
  const counted = Object.fromEntries(
    Object.entries(costs).map(([name, { files, ...cost }]) => [name, { ...cost, files: files.length }]),
  );
  const entered = Object.fromEntries(Object.entries(steps).map(([name, files]) => [name, files.length]));
  return new Map(
    leaves({
      costs: counted,
      'hidden classes': hiddenClasses,
      steps: entered,
      bundles,
      source: { staticModules, proxies, symbolsFor },
    }),
  );
}

/** Compares figures with their budgets. */
export function problemsOf(figures: Figures, budgets: Figures): Problem[] {
  const names = new Set([...figures.keys(), ...budgets.keys()]);
  return [...names]
    .map((name) => ({ name, measured: figures.get(name), budget: budgets.get(name) }))
    .filter(({ measured, budget }) => measured === undefined || budget === undefined || measured > budget);
}

export function readBudgets(): Figures {
  return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>));
}

/** Writes budgets that solve the problems, and leaves the others as they are. */
export function raiseBudgets(budgets: Figures, problems: readonly Problem[]): void {
  const raised = new Map(budgets);
  for (const { name, measured } of problems) {
    if (measured === undefined) raised.delete(name);
    else raised.set(name, roomy(name, measured));
  }
  const sorted = [...raised].toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Says each problem in a line. */
export function problemLine({ name, measured, budget }: Problem): string {
  if (measured === undefined) return `${name}: has a budget and was not measured`;
  return budget === undefined
    ? `${name}: ${measured}, and no budget`
    : `${name}: ${measured}, budget ${budget}`;
}

function roomy(name: string, measured: number): number {
  const room = ROOM[name.split(' > ').at(-1) ?? ''];
  return room === undefined ? measured : Number((measured * room).toPrecision(4));
}

function* leaves(value: object, path: readonly string[] = []): Generator<[string, number]> {
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const below = [...path, name];
    if (typeof member === 'number') yield [below.join(' > '), member];
    else yield* leaves(member as object, below);
  }
}
