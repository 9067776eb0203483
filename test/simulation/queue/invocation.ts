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
  /** Keys that the process has been told are completed. */
  readonly toldDone = new Set<string>();
  /** Those of which that is the last it heard, and since which step. */
  readonly knownDone = new Map<string, number>();
  /** Messages that it hands back unread: it does not know their keys. */
  readonly unread = new Set<string>();
  /** When, in true time, the processor stops waiting for anything new. */
  readonly stopsAt: number;
  readonly #world: World;

  constructor(world: World, id: string, process: SimProcess, deliveries: readonly Delivery[]) {
    this.#world = world;
    this.id = id;
    this.process = process;
    this.deliveries = deliveries;
    const { platform, functionTimeoutMs, settings } = world.scenario;
    const marginMs = Math.min(settings.deadlineMarginMs ?? 0, functionTimeoutMs / 2);
    this.stopsAt = platform === 'lambda' ? world.now + functionTimeoutMs - marginMs : Infinity;
  }

  /** The store's last word on a key. */
  wasTold(key: string, isDone: boolean): void {
    if (this.isOver) return;
    if (isDone) this.toldDone.add(key);
    if (!isDone) this.knownDone.delete(key);
    else if (!this.knownDone.has(key)) this.knownDone.set(key, this.#world.scheduler.steps);
  }
}
