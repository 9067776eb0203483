import { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Processor, WorkerSetup } from './worker-setup.ts';

/**
 * Where processes run, one after the other: when one has died, the next invocation gets a new one. Several slots
 * may share it: their invocations then overlap in one process, in one processor or in several.
 */
export class Sandbox {
  readonly #name: string;
  readonly #world: World;
  readonly #setup: WorkerSetup;
  readonly #onDeath: (() => void)[] = [];
  #process: SimProcess | undefined;
  #processors: readonly Processor[] = [];
  #processes = 0;
  #invocations = 0;

  constructor(name: string, setup: WorkerSetup) {
    this.#name = name;
    this.#world = setup.world;
    this.#setup = setup;
  }

  onDeath(callback: () => void): void {
    this.#onDeath.push(callback);
  }

  livingProcess(): SimProcess {
    if (this.#process !== undefined && !this.#process.isDead) return this.#process;
    this.#processes += 1;
    const process = new SimProcess(this.#world, `${this.#name}${letter(this.#processes)}`);
    process.onDeath = () => this.#onDeath.forEach((callback) => callback());
    this.#process = process;
    this.#processors = this.#setup.startProcessors(process);
    return process;
  }

  processor(index: number): Processor {
    return this.#processors[index] as Processor;
  }

  nextInvocationId(): string {
    this.#invocations += 1;
    return `${this.livingProcess().name}.${this.#invocations}`;
  }
}

/** a, b, … z, aa, ab, … */
function letter(count: number): string {
  const rest = count - 1;
  const last = String.fromCharCode(97 + (rest % 26));
  return rest < 26 ? last : letter(Math.floor(rest / 26)) + last;
}
