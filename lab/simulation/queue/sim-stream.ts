import type { SqsClient } from '../../../src/queues/sqs-client.ts';
import { kinesisEvent } from '../../../src/testing/stream-events.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { Delivery } from './invocation.ts';
import { bodyOf, described, type Message } from './message.ts';
import type { SimQueue } from './sim-queue.ts';
import { SqsCalls } from './sqs-calls.ts';

const STREAM = 'work';

/** One shard: its records in order, and how far they have been dealt with. */
interface Shard {
  readonly id: string;
  readonly messages: Message[];
  isWithConsumer: boolean;
  /** How often the batch from the checkpoint on has failed. */
  failures: number;
  /** When it is read next, in true time. */
  readAgainAt: number;
}

/**
 * A Kinesis stream as Lambda reads it: of each shard one batch at a time, in order, from the checkpoint on. A
 * response's lowest sequence number is the next checkpoint; a batch that failed as a whole is delivered again, from
 * where it began. What fails too often is left behind, with all that was read with it. A checkpoint may be lost.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 */
export class SimStream implements SimQueue {
  readonly messages: Message[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #calls: SqsCalls;
  readonly #shards: readonly Shard[];

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random.fork('stream');
    this.#calls = new SqsCalls(world, this.#random);
    this.#shards = Array.from({ length: world.scenario.queue.shards }, (_, index) => ({
      id: `shardId-${index}`,
      messages: [],
      isWithConsumer: false,
      failures: 0,
      readAgainAt: 0,
    }));
  }

  recordIdOf(id: string, group: string | undefined): string {
    return `arn:aws:kinesis:us-east-1:123456789012:stream/${STREAM}:${this.#shardOf(group).id}:${id}`;
  }

  send(message: Message): void {
    this.#world.log('stream', () => `${message.id} sent: ${described(message)}`);
    this.messages.push(message);
    this.#shardOf(message.group).messages.push(message);
  }

  receive(most: number): Delivery[] {
    for (const shard of this.#random.shuffled([...this.#shards])) {
      if (shard.isWithConsumer || shard.readAgainAt > this.#world.now) continue;
      const batch = waitingIn(shard).slice(0, most);
      if (batch.length === 0) continue;
      shard.isWithConsumer = true;
      return batch.map((message) => ({ message, receipt: (message.receiveCount += 1) }));
    }
    return [];
  }

  nextVisibleAt(): number | undefined {
    const free = this.#shards.filter((shard) => !shard.isWithConsumer && waitingIn(shard).length > 0);
    return free.length === 0 ? undefined : Math.min(...free.map(({ readAgainAt }) => readAgainAt));
  }

  eventOf(deliveries: readonly Delivery[]): unknown {
    const { id: shardId } = this.#shardOf(deliveries[0]?.message.group);
    const records = deliveries.map(({ message }) => ({
      body: bodyOf(message),
      partitionKey: message.group ?? '',
      sequenceNumber: message.id,
      sentAt: message.sentAt,
    }));
    return kinesisEvent(records, { streamName: STREAM, shardId });
  }

  answered(deliveries: readonly Delivery[], failed: ReadonlySet<string>, random: Random): void {
    const shard = this.#shardOf(deliveries[0]?.message.group);
    const lowest = deliveries.findIndex(({ message }) => failed.has(message.id));
    const done = lowest === -1 ? deliveries : deliveries.slice(0, lowest);
    this.#world.scheduler.after(random.integer(1, 50), () => {
      const isLost =
        done.length > 0 && !this.#world.isCalm && random.chance(this.#world.scenario.faults.deleteLost);
      if (isLost) this.#world.count('checkpoints lost');
      else {
        for (const { message } of done) message.state = 'deleted';
        if (done.length > 0) shard.failures = 0;
        this.#world.log(
          'stream',
          () => `checkpoint of ${shard.id} after ${done.length} of ${deliveries.length}`,
        );
      }
      if (lowest === -1) this.#giveBack(shard, 0);
      else this.#failed(shard, deliveries.slice(lowest));
    });
  }

  unanswered(deliveries: readonly Delivery[]): void {
    this.#failed(this.#shardOf(deliveries[0]?.message.group), deliveries);
  }

  /** Of SQS there is only the dead-letter queue. */
  clientOf(process: SimProcess): SqsClient {
    return {
      changeMessageVisibilityBatch: async () => {
        this.#world.report('simulation-itself', 'the visibility of a record of a stream');
        return {};
      },
      sendMessage: (input, { abortSignal } = {}) =>
        this.#calls.sendDeadLetter(process, input, this.messages, abortSignal),
    };
  }

  #failed(shard: Shard, rest: readonly Delivery[]): void {
    const { maxReceiveCount = Infinity } = this.#world.scenario.queue;
    shard.failures += 1;
    if (shard.failures >= maxReceiveCount) {
      shard.failures = 0;
      for (const { message } of rest) if (message.state === 'waiting') message.state = 'dead-lettered';
      this.#world.count('batches of a stream left behind');
      this.#world.log(
        'stream',
        () => `${shard.id} leaves ${rest.map(({ message }) => message.id).join(', ')} behind`,
      );
    }
    this.#giveBack(shard, this.#random.magnitude(10, 3_000));
  }

  #giveBack(shard: Shard, pauseMs: number): void {
    shard.isWithConsumer = false;
    shard.readAgainAt = this.#world.now + pauseMs;
  }

  /** Records of one partition key are in one shard. */
  #shardOf(group: string | undefined): Shard {
    return this.#shards[Number(group?.slice(1) ?? 0) % this.#shards.length] as Shard;
  }
}

function waitingIn({ messages }: Shard): Message[] {
  return messages.filter(({ state }) => state === 'waiting');
}
