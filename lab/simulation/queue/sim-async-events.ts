import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import { eventBridgeEvent } from '../../../src/testing/events.ts';
import { snsEvent } from '../../../src/testing/push-events.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Delivery } from './invocation.ts';
import { bodyOf, described, type Message } from './message.ts';
import type { SimQueue } from './sim-queue.ts';
import { SqsCalls } from './sqs-calls.ts';

/** After an invocation that failed the next comes a minute later, then two; then the failure destination has the event. */
const RETRY_AFTER_MS = [60_000, 120_000];

/** Events that EventBridge or SNS give to Lambda's queue for asynchronous invocations, which delivers each by itself. */
export class SimAsyncEvents implements SimQueue {
  readonly messages: Message[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #calls: SqsCalls;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork('asynchronous events');
    this.#calls = new SqsCalls(world, this.#random);
  }

  recordIdOf(id: string): string {
    return id;
  }

  send(message: Message): void {
    this.#world.log('events', () => `${message.id} sent: ${described(message)}`);
    this.messages.push(message);
  }

  receive(): Delivery[] {
    const due = this.messages.filter(
      ({ state, visibleAt }) => state === 'waiting' && visibleAt <= this.#world.now,
    );
    if (due.length === 0) return [];
    const message = this.#random.pick(due);
    message.receiveCount += 1;
    message.visibleAt = Infinity; // until its invocation has ended
    return [{ message, receipt: message.receiveCount }];
  }

  nextVisibleAt(): number | undefined {
    const times = this.messages
      .filter(({ state, visibleAt }) => state === 'waiting' && visibleAt < Infinity)
      .map(({ visibleAt }) => visibleAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  eventOf([delivery]: readonly Delivery[]): unknown {
    const { message } = delivery as Delivery;
    const { id, sentAt } = message;
    return this.#world.scenario.queue.service === 'sns'
      ? snsEvent([{ message: bodyOf(message), messageId: id, sentAt }])
      : eventBridgeEvent(bodyOf(message), { id, time: new Date(sentAt).toISOString() });
  }

  /** There is no list to answer with: an invocation that succeeded has done its event. */
  answered(deliveries: readonly Delivery[]): void {
    for (const { message } of deliveries) {
      message.state = 'deleted';
      this.#world.log('events', () => `${message.id} is done`);
    }
  }

  unanswered(deliveries: readonly Delivery[]): void {
    for (const { message, receipt } of deliveries) {
      const retryAfterMs = RETRY_AFTER_MS[receipt - 1];
      if (retryAfterMs === undefined) {
        message.state = 'dead-lettered';
        this.#world.count('events given up');
        this.#world.log('events', () => `${message.id} goes to the failure destination`);
      } else message.visibleAt = this.#world.now + retryAfterMs;
    }
  }

  /** Of SQS there is only the dead-letter queue. */
  clientOf(process: SimProcess): SqsClient {
    return {
      changeMessageVisibilityBatch: async () => {
        this.#world.report('simulation-itself', 'the visibility of an event');
        return {};
      },
      sendMessage: (input, { abortSignal } = {}) =>
        this.#calls.sendDeadLetter(process, input, this.messages, abortSignal),
    };
  }
}
