import type { SQSEvent } from 'aws-lambda';
import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Delivery } from './invocation.ts';
import { bodyOf, described, type Message } from './message.ts';
import type { SimQueue } from './sim-queue.ts';
import { SqsCalls } from './sqs-calls.ts';

/**
 * Amazon SQS as its documentation promises it and no better. Standard: at least once, in any order, now and
 * then a message that somebody else has or that is deleted already. FIFO: in order within a message group,
 * nothing of a group while some of it is with a consumer. A received message is invisible for a while; one
 * received too often goes to the dead-letter queue.
 */
export class SimSqs implements SimQueue {
  readonly messages: Message[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #calls: SqsCalls;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork('queue');
    this.#calls = new SqsCalls(world, this.#random);
  }

  recordIdOf(id: string): string {
    return id;
  }

  send(message: Message): void {
    this.#world.log('queue', () => `${message.id} sent: ${described(message)}`);
    this.messages.push(message);
  }

  receive(most: number): Delivery[] {
    const { kind } = this.#world.scenario.queue;
    const received = kind === 'fifo' ? this.#receiveInOrder(most) : this.#receiveAnyhow(most);
    return received.map((message) => this.#deliver(message));
  }

  /** When the next message becomes visible, in true time; undefined: nothing is waiting. */
  nextVisibleAt(): number | undefined {
    let next: number | undefined;
    for (const { state, visibleAt } of this.messages) {
      if (state === 'waiting' && (next === undefined || visibleAt < next)) next = visibleAt;
    }
    return next;
  }

  eventOf(deliveries: readonly Delivery[]): SQSEvent {
    const isFifo = this.#world.scenario.queue.kind === 'fifo';
    return {
      Records: deliveries.map(({ message, receipt }) => ({
        messageId: message.id,
        receiptHandle: `${message.id}/${receipt}`,
        body: JSON.stringify(bodyOf(message)),
        attributes: {
          ApproximateReceiveCount: String(receipt),
          SentTimestamp: String(message.sentAt),
          SenderId: 'simulation',
          ApproximateFirstReceiveTimestamp: String(message.sentAt),
          ...(message.group !== undefined && { MessageGroupId: message.group }),
        },
        messageAttributes: {},
        md5OfBody: '',
        eventSource: 'aws:sqs',
        eventSourceARN: `arn:aws:sqs:us-east-1:123456789012:work${isFifo ? '.fifo' : ''}`,
        awsRegion: 'us-east-1',
      })),
    };
  }

  answered(deliveries: readonly Delivery[], failed: ReadonlySet<string>, random: Random): void {
    const { queue, settings, faults } = this.#world.scenario;
    for (const delivery of deliveries) {
      const isFailed = failed.has(delivery.message.id);
      this.#world.scheduler.after(random.integer(1, 50), () => {
        if (isFailed) {
          if (queue.returnsAtOnce && settings.visibility === undefined) this.#makeVisible(delivery);
        } else if (this.#world.isCalm || !random.chance(faults.deleteLost)) this.#delete(delivery);
      });
    }
  }

  /** Messages come back when their visibility timeout is over. */
  unanswered(): void {}

  /** SQS as a process calls it beyond receiving: calls get lost, are refused in part, or do their work unheard. */
  clientOf(process: SimProcess): SqsClient {
    return {
      changeMessageVisibilityBatch: ({ Entries }, { abortSignal } = {}) =>
        this.#calls.call(process, abortSignal, () => {
          const Failed: { Id: string; Code: string }[] = [];
          for (const { Id, ReceiptHandle, VisibilityTimeout } of Entries) {
            if (this.#chance(this.#world.scenario.faults.itemRefused))
              Failed.push({ Id, Code: 'InternalError' });
            else this.#changeVisibility(ReceiptHandle, VisibilityTimeout);
          }
          return { Failed };
        }),
      sendMessage: (input, { abortSignal } = {}) =>
        this.#calls.sendDeadLetter(process, input, this.messages, abortSignal),
    };
  }

  /** Whether the delivery is still the message's latest: a FIFO queue takes no other. */
  #delete({ message, receipt }: Delivery): void {
    if (message.state !== 'waiting') return;
    const isLate = message.receiveCount !== receipt || message.visibleAt <= this.#world.now;
    if (isLate && this.#world.scenario.queue.kind === 'fifo') return;
    message.state = 'deleted';
    this.#world.log('queue', () => `${message.id} deleted`);
  }

  #makeVisible({ message, receipt }: Delivery): void {
    if (message.state === 'waiting' && message.receiveCount === receipt) message.visibleAt = this.#world.now;
  }

  #changeVisibility(receiptHandle: string, timeoutSeconds: number): void {
    const [id, receipt] = receiptHandle.split('/');
    const message = this.messages.find((one) => one.id === id);
    // A message that is visible again, or that somebody else has, is not this receipt's any more.
    if (message?.state !== 'waiting' || message.receiveCount !== Number(receipt)) return;
    if (message.visibleAt > this.#world.now) message.visibleAt = this.#world.now + timeoutSeconds * 1_000;
  }

  #receiveAnyhow(most: number): Message[] {
    const { duplicateDelivery } = this.#world.scenario.faults;
    const received: Message[] = [];
    for (const message of this.#random.shuffled(this.messages)) {
      if (received.length === most) break;
      if (this.#isVisible(message)) {
        if (!this.#deadLetter(message)) received.push(message);
      } else if (message.state !== 'dead-lettered' && this.#chance(duplicateDelivery / 4)) {
        this.#world.count('duplicate deliveries');
        received.push(message);
      }
    }
    const [first] = received;
    if (first !== undefined && received.length < most && this.#chance(duplicateDelivery / 4)) {
      this.#world.count('messages twice in a batch');
      received.push(first);
    }
    return received;
  }

  #receiveInOrder(most: number): Message[] {
    const received: Message[] = [];
    const groups = new Set(this.messages.map(({ group }) => group));
    for (const group of this.#random.shuffled([...groups])) {
      const waiting = this.messages.filter((one) => one.group === group && one.state === 'waiting');
      if (waiting.some((message) => !this.#isVisible(message))) continue;
      for (const message of waiting) {
        if (received.length === most) break;
        if (!this.#deadLetter(message)) received.push(message);
      }
    }
    return received;
  }

  #deliver(message: Message): Delivery {
    message.receiveCount += 1;
    message.visibleAt = this.#world.now + this.#world.scenario.queue.visibilityTimeoutMs;
    return { message, receipt: message.receiveCount };
  }

  #isVisible({ state, visibleAt }: Message): boolean {
    return state === 'waiting' && visibleAt <= this.#world.now;
  }

  #deadLetter(message: Message): boolean {
    const { maxReceiveCount } = this.#world.scenario.queue;
    if (maxReceiveCount === undefined || message.receiveCount < maxReceiveCount) return false;
    message.state = 'dead-lettered';
    this.#world.count('dead-lettered');
    this.#world.log('queue', () => `${message.id} goes to the dead-letter queue`);
    return true;
  }

  #chance(probability: number): boolean {
    return !this.#world.isCalm && this.#random.chance(probability);
  }
}
