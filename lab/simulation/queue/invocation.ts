import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Message } from './message.ts';

/** One message in a batch, by the receipt it was received with. */
export interface Delivery {
  readonly message: Message;
  /** The receive count it was delivered with: a later delivery has a higher one. */
  readonly receipt: number;
}

/** One batch on its way through one process. */
export class Invocation {
  readonly id: string;
  readonly process: SimProcess;
  readonly deliveries: readonly Delivery[];
  isOver = false;
  /** What the process has been told is completed, by its identity. */
  readonly toldDone = new Set<string>();
  /** Those of which that is the last it heard, and since which step. */
  readonly knownDone = new Map<string, number>();
  /** Messages that it hands back unread: it does not know their keys. */
  readonly unread = new Set<string>();
  /** Keys that the process has been told are somebody else's. */
  readonly conflicts = new Set<string>();
  readonly startedAt: number;
  /** How much time it has; 0 or less: it began too late. `Infinity` where nobody says. */
  readonly timeMs: number;
  /** How long before the end of that the processor stops. */
  readonly marginMs: number;
  /** When, in true time, the processor stops waiting for anything new. */
  readonly stopsAt: number;
  readonly #world: World;

  constructor(
    world: World,
    id: string,
    process: SimProcess,
    deliveries: readonly Delivery[],
    timeMs: number,
  ) {
    this.#world = world;
    this.id = id;
    this.process = process;
    this.deliveries = deliveries;
    this.startedAt = world.now;
    this.timeMs = timeMs;
    this.marginMs = Math.min(world.scenario.settings.deadlineMarginMs ?? 0, timeMs / 2);
    this.stopsAt = world.now + timeMs - this.marginMs;
  }

  /** The store's last word on a key, as it is asked for with this identity. */
  wasTold(identity: string, isDone: boolean): void {
    if (this.isOver) return;
    if (isDone) this.toldDone.add(identity);
    if (!isDone) this.knownDone.delete(identity);
    else if (!this.knownDone.has(identity)) this.knownDone.set(identity, this.#world.scheduler.steps);
  }
}
