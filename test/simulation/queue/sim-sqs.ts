import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import type { Random } from '../virtual-world/random.ts';
import { never, type SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Delivery } from './invocation.ts';
import type { Message } from './message.ts';

/**
 * Amazon SQS as its documentation promises it and no better. Standard: at least once, in any order, now and
 * then a message that somebody else has or that is deleted already. FIFO: in order within a message group,
 * nothing of a group while some of it is with a consumer. A received message is invisible for a while; one
 * received too often goes to the dead-letter queue.
 */
export class SimSqs {
  readonly messages: Message[] = [];
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork('queue');
  }

  send(message: Message): void {
    this.#world.log('queue', () => `${message.id} sent: ${message.key}, ${message.kind}${inGroup(message)}`);
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

  /** Whether the delivery is still the message's latest: a FIFO queue takes no other. */
  delete({ message, receipt }: Delivery): void {
    if (message.state !== 'waiting') return;
    const isLate = message.receiveCount !== receipt || message.visibleAt <= this.#world.now;
    if (isLate && this.#world.scenario.queue.kind === 'fifo') return;
    message.state = 'deleted';
    this.#world.log('queue', () => `${message.id} deleted`);
  }

  makeVisible({ message, receipt }: Delivery): void {
    if (message.state === 'waiting' && message.receiveCount === receipt) message.visibleAt = this.#world.now;
  }

  /** SQS as a process calls it beyond receiving: calls get lost, are refused in part, or do their work unheard. */
  clientOf(process: SimProcess): SqsClient {
    return {
      changeMessageVisibilityBatch: ({ Entries }) =>
        this.#call(process, () => {
          const Failed: { Id: string; Code: string }[] = [];
          for (const { Id, ReceiptHandle, VisibilityTimeout } of Entries) {
            if (this.#chance(this.#world.scenario.faults.itemRefused))
              Failed.push({ Id, Code: 'InternalError' });
            else this.#changeVisibility(ReceiptHandle, VisibilityTimeout);
          }
          return { Failed };
        }),
      sendMessage: ({ MessageAttributes }) =>
        this.#call(process, () => {
          const id = MessageAttributes['RecordId']?.StringValue;
          const message = this.messages.find((one) => one.id === id);
          if (message === undefined) throw new Error('a dead letter of a message that was never sent');
          message.isSentToDeadLetters = true;
          this.#world.count('sent to dead letters');
          this.#world.log('queue', () => `${message.id} is sent to the dead-letter queue by ${process.name}`);
        }),
    };
  }

  async #call<Answer>(process: SimProcess, run: () => Answer): Promise<Answer> {
    if (process.isDead) return never();
    const { requestLost, answerLost, slow } = this.#world.scenario.faults;
    const latencyMs = this.#chance(slow) ? this.#random.magnitude(20, 5_000) : this.#random.integer(0, 8);
    const isRequestLost = this.#chance(requestLost);
    const isAnswerLost = this.#chance(answerLost);
    let answer: Answer | undefined;
    if (!isRequestLost) this.#world.scheduler.after(latencyMs, () => (answer = run()));
    process.mayDie('while it calls SQS');
    await process.sleep(latencyMs + 1 + this.#random.integer(0, 8));
    if (isRequestLost || isAnswerLost) throw new Error('no answer from SQS');
    return answer as Answer;
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

function inGroup({ group }: Message): string {
  return group === undefined ? '' : ` in ${group}`;
}
