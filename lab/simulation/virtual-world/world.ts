import type { InvariantName, Violation } from '../invariants/invariant.ts';
import type { Scenario } from '../scenario.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';

/** When every run begins. */
const BEGINNING = Date.UTC(2026, 0, 1);

export type WriteTrace = (line: string) => void;

/** What everything in one run shares: true time, randomness, the trace, and the first invariant that failed. */
export class World {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly scheduler: Scheduler;
  /** How often things happened that a run is made for; shows what a set of seeds has visited. */
  readonly counts: Record<string, number> = {};
  violation: Violation | undefined;
  readonly #writeTrace: WriteTrace | undefined;

  constructor(scenario: Scenario, writeTrace: WriteTrace | undefined) {
    this.scenario = scenario;
    this.random = new Random(`${scenario.mode}:${scenario.seed}`);
    this.scheduler = new Scheduler(BEGINNING, this.random.fork('scheduler'));
    this.#writeTrace = writeTrace;
  }

  /** True time. */
  get now(): number {
    return this.scheduler.now;
  }

  get elapsedMs(): number {
    return this.now - BEGINNING;
  }

  /** From a time on nothing goes wrong any more, and everything has to come to its end. */
  get isCalm(): boolean {
    return this.elapsedMs >= this.scenario.calmAfterMs;
  }

  /** Whether whatever is called now never answers. */
  get isSilent(): boolean {
    const { silence } = this.scenario.faults;
    return silence !== undefined && this.elapsedMs >= silence.fromMs && this.elapsedMs < silence.toMs;
  }

  /** A source of randomness that takes nothing from the others: what came before it is as if it were not there. */
  unrelatedRandom(name: string): Random {
    return new Random(`${name}:${this.scenario.mode}:${this.scenario.seed}`);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** A line of the trace; the text is made only when somebody reads it. */
  log(who: string, what: () => string): void {
    if (this.#writeTrace === undefined) return;
    const seconds = (this.elapsedMs / 1_000).toFixed(3).padStart(10);
    this.#writeTrace(`${seconds} s  ${who.padEnd(8)} ${what()}`);
  }

  /** An invariant does not hold. The first is kept and ends the run; what follows may be its consequence. */
  report(invariant: InvariantName, message: string): void {
    if (this.violation !== undefined) return;
    this.violation = { invariant, message, atMs: this.elapsedMs };
    this.log('INVARIANT', () => `${invariant}: ${message}`);
  }
}
