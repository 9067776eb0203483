import { type MemoryStore, memoryStore } from '../../src/stores/memory/memory-store.ts';
import { Random } from '../../lab/simulation/virtual-world/random.ts';
import { Scheduler } from '../../lab/simulation/virtual-world/scheduler.ts';
import type { CrashPoint, Fault } from './faults.ts';
import type { ClaimSpan, InvocationSpan, Moment, MomentKind, Run } from './run.ts';
import { orderOf } from './order-of.ts';
import type { SimProcess } from './sim-process.ts';

const BEGINNING = Date.UTC(2026, 0, 1);
/** The order that the fault is about. */
export const AFFECTED = '1';

/** What all of a run shares: time, the store, the provider, and what is told of it. */
export class World {
  readonly scheduler: Scheduler = new Scheduler(BEGINNING, new Random('site'));
  readonly store: MemoryStore = memoryStore({ clock: { now: () => this.scheduler.now } });
  readonly fault: Fault;
  /** Which process claimed with an owner token. */
  readonly owners = new Map<string, string>();
  readonly #moments: Moment[] = [];
  readonly #claims: ClaimSpan[] = [];
  readonly #invocations: InvocationSpan[] = [];
  readonly #asked: Record<string, number> = {};
  readonly #charged: Record<string, number> = {};
  #hasCrashed = false;
  #hasLostAnswer = false;
  #hasStoodStill = false;
  #awayUntil = -Infinity;

  constructor(fault: Fault) {
    this.fault = fault;
  }

  get nowMs(): number {
    return this.scheduler.now - BEGINNING;
  }

  happens(kind: MomentKind, process: SimProcess | undefined, order: string | undefined, text: string): void {
    this.#moments.push({ atMs: this.nowMs, kind, process: process?.name, order, text });
  }

  /** Kills the process if this is where the fault has it die. */
  crashesAt(point: CrashPoint, key: string, process: SimProcess): boolean {
    if (this.fault.crashAt !== point || this.#hasCrashed || orderOf(key) !== AFFECTED) return false;
    this.#hasCrashed = true;
    process.die();
    return true;
  }

  losesAnswer(key: string, process: SimProcess): boolean {
    if (this.fault.losesAnswer !== true || this.#hasLostAnswer || orderOf(key) !== AFFECTED) return false;
    this.#hasLostAnswer = true;
    this.happens('no answer', process, AFFECTED, 'the answer of the store is lost');
    return true;
  }

  /** The first request of all begins it. */
  isStoreAway(): boolean {
    const { storeIsAwayMs } = this.fault;
    if (storeIsAwayMs === undefined) return false;
    if (this.#awayUntil === -Infinity) this.#awayUntil = this.nowMs + storeIsAwayMs;
    return this.nowMs < this.#awayUntil;
  }

  /** For how long a process that runs the order is to stand still now. */
  standsStillMs(order: string): number | undefined {
    if (this.#hasStoodStill || order !== AFFECTED) return undefined;
    this.#hasStoodStill = true;
    return this.fault.standsStillMs;
  }

  /** The provider charges a key once. */
  charge(order: string, process: SimProcess): void {
    this.#asked[order] = (this.#asked[order] ?? 0) + 1;
    const isFirst = this.#charged[order] === undefined;
    this.#charged[order] = 1;
    this.happens(
      isFirst ? 'effect' : 'effect again',
      process,
      order,
      isFirst ? 'the provider charges the order' : 'the provider knows the key, and charges nothing',
    );
  }

  /** Notes how the rows of these keys stand now. */
  async sees(keys: readonly string[]): Promise<void> {
    const atMs = this.nowMs;
    for (const key of keys) {
      const row = await this.store.read(key);
      if (row === undefined) continue;
      const { status, attempt, owner } = row;
      const span = {
        status,
        attempt,
        process: this.owners.get(owner) ?? '',
        leaseUntilMs: row.leaseUntil - BEGINNING,
      };
      const before = this.#claims.findLast(({ order }) => order === orderOf(key));
      const isSame =
        before?.status === status && before.attempt === attempt && before.leaseUntilMs === span.leaseUntilMs;
      if (!isSame) this.#claims.push({ order: orderOf(key), fromMs: atMs, ...span });
    }
  }

  invoked(span: InvocationSpan): void {
    this.#invocations.push(span);
  }

  asRun(orders: readonly string[]): Run {
    return {
      moments: this.#moments,
      claims: this.#claims,
      invocations: this.#invocations,
      orders,
      asked: this.#asked,
      charged: this.#charged,
      endMs: Math.max(...this.#moments.map(({ atMs }) => atMs)) + 1_000,
    };
  }
}
