import type { Clock } from '../../../src/base/clock.ts';
import type { World } from './world.ts';

/**
 * One process: a Lambda sandbox, or a long-lived worker. Everything that reaches the code in it, timers,
 * answers of the store, steps of a handler, comes through `deliver`, which is where it can die (from then on
 * nothing reaches it), be paused (a blocked event loop, a stopped machine), or be frozen, as Lambda does
 * between invocations: what is due then waits for the thaw.
 */
export class SimProcess {
  readonly name: string;
  /** How far its clock is ahead of true time; negative: behind. */
  readonly offsetMs: number;
  readonly clock: Clock;
  isDead = false;
  onDeath: () => void = () => undefined;
  readonly #world: World;
  readonly #backlog: (() => void)[] = [];
  #isFrozen = false;
  #isPaused = false;
  #stoodStillUntil = -Infinity;

  constructor(world: World, name: string) {
    const { skewMs } = world.scenario;
    this.#world = world;
    this.name = name;
    this.offsetMs = Math.round((world.random.next() - 0.5) * skewMs);
    this.clock = {
      now: () => this.now(),
      setTimer: (callback, delayMs) => this.deliver(delayMs, callback, { inOrder: true }),
    };
  }

  /** The time by its own clock. */
  now(): number {
    return this.#world.now + this.offsetMs;
  }

  deliver(delayMs: number, run: () => void, options?: { inOrder: boolean }): () => void {
    let isCancelled = false;
    const arrive = (): void => {
      if (!isCancelled) this.#arrive(arrive, run);
    };
    const cancel = this.#world.scheduler.after(delayMs, arrive, options);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Resolves after `delayMs` of this process's life. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.deliver(delayMs, resolve);
    });
  }

  die(reason: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#backlog.length = 0;
    this.#world.count('processes died');
    this.#world.log(this.name, () => `dies: ${reason}`);
    this.onDeath();
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Between invocations. */
  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#deliverBacklog();
  }

  /** Chances upon an `await`: it may be the last. */
  mayDie(reason: string): void {
    const { scenario, random, isCalm } = this.#world;
    if (!isCalm && random.chance(scenario.faults.death)) this.die(reason);
  }

  #arrive(again: () => void, run: () => void): void {
    if (this.isDead) return;
    if (this.#isFrozen || this.#isPaused) {
      this.#backlog.push(again);
      return;
    }
    this.mayDie('at an await');
    if (this.isDead) return;
    const { scenario, random, isCalm } = this.#world;
    if (!isCalm && random.chance(scenario.faults.pause)) {
      this.#pause(random.magnitude(20, 15_000));
      this.#backlog.push(again);
      return;
    }
    run();
  }

  /** Whether it has stood still at any time since then, in true time. */
  hasStoodStillSince(time: number): boolean {
    return this.#stoodStillUntil >= time;
  }

  #pause(durationMs: number): void {
    this.#isPaused = true;
    this.#stoodStillUntil = this.#world.now + durationMs;
    this.#world.count('pauses');
    this.#world.log(this.name, () => `stands still for ${durationMs} ms`);
    this.#world.scheduler.after(durationMs, () => {
      this.#isPaused = false;
      this.#deliverBacklog();
    });
  }

  #deliverBacklog(): void {
    if (this.#isFrozen || this.#isPaused) return;
    for (const arrive of this.#backlog.splice(0)) this.#world.scheduler.after(0, arrive, { inOrder: true });
  }
}

/** What a dead process waits for. */
export function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}
