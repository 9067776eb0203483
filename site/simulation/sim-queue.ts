import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** A message of the queue. */
export interface Message {
  readonly id: string;
  readonly order: string;
  receives: number;
  visibleAtMs: number;
  isGone: boolean;
}

const VISIBILITY_TIMEOUT_MS = 10_000;
const MAX_RECEIVES = 4;

/** A queue as SQS: what is received is hidden, what is not deleted comes again, and after four times it is a dead letter. */
export class SimQueue {
  readonly #world: World;
  readonly #messages: Message[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  send(order: string, id: string): void {
    this.#messages.push({ id, order, receives: 0, visibleAtMs: 0, isGone: false });
    this.#world.happens('sent', undefined, order, `message ${id} is sent`);
  }

  receive(process: SimProcess, most: number): Message[] {
    const world = this.#world;
    const visible = this.#messages.filter(({ isGone, visibleAtMs }) => !isGone && visibleAtMs <= world.nowMs);
    for (const message of visible.filter(({ receives }) => receives >= MAX_RECEIVES)) {
      message.isGone = true;
      world.happens('dead letter', undefined, message.order, 'goes to the dead-letter queue');
    }
    const received = visible.filter(({ isGone }) => !isGone).slice(0, most);
    for (const message of received) {
      message.receives += 1;
      message.visibleAtMs = world.nowMs + VISIBILITY_TIMEOUT_MS;
      world.happens(
        'received',
        process,
        message.order,
        `receives message ${message.id}, delivery ${message.receives}`,
      );
    }
    return received;
  }

  delete(messages: readonly Message[]): void {
    for (const message of messages) {
      message.isGone = true;
      this.#world.happens(
        'deleted',
        undefined,
        message.order,
        `message ${message.id} is acknowledged and deleted`,
      );
    }
  }

  get isEmpty(): boolean {
    return this.#messages.every(({ isGone }) => isGone);
  }
}
