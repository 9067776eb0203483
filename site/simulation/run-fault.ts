import { createBatchProcessor, PermanentError, sqs } from '../../src/core.ts';
import type { Fault } from './faults.ts';
import type { Run } from './run.ts';
import { SimProcess } from './sim-process.ts';
import { type Message, SimQueue } from './sim-queue.ts';
import { storeOf } from './sim-store.ts';
import { AFFECTED, World } from './world.ts';

const FUNCTION_TIMEOUT_MS = 6_000;
const HANDLER_MS = 1_000;
const POLL_EVERY_MS = 500;
const RESTART_MS = 500;
const LONGEST_MS = 120_000;

export interface RunOptions {
  /** Default 3. */
  readonly orders?: number;
  /** Default 2. */
  readonly workers?: number;
}

/**
 * Runs orders through the real processor and the memory store in virtual time, with one fault. The same fault gives the same run
 * each time, here and in a browser.
 */
export async function runFault(fault: Fault, { orders = 3, workers = 2 }: RunOptions = {}): Promise<Run> {
  const world = new World(fault);
  const queue = new SimQueue(world);
  const names = Array.from({ length: orders }, (_, index) => String(index + 1));
  for (const name of names) {
    queue.send(name, `m${name}`);
    if (fault.isSentTwice === true && name === AFFECTED) queue.send(name, `m${name}b`);
  }
  const slots = Array.from({ length: workers }, (_, index) => new Slot('AB'[index] ?? 'C', world, queue));
  // One message to each, so that both workers have one of the two.
  const mostAtOnce = fault.isSentTwice === true ? 1 : 10;
  for (const [index, slot] of slots.entries()) slot.poll(100 + 200 * index, mostAtOnce);
  // A process that stood still has something to say after the others have ended.
  const notBeforeMs = fault.standsStillMs === undefined ? 0 : fault.standsStillMs + 3_000;
  const isOver = (): boolean =>
    world.nowMs > LONGEST_MS ||
    (world.nowMs >= notBeforeMs && queue.isEmpty && slots.every(({ isBusy }) => !isBusy));
  await world.scheduler.run(isOver);
  return world.asRun(names);
}

type Processor = ReturnType<typeof processorIn>;

/** One place for an execution environment: a new process after each that died. */
class Slot {
  isBusy = false;
  readonly #name: string;
  readonly #world: World;
  readonly #queue: SimQueue;
  #lives = 0;
  #process: SimProcess | undefined;
  #processor: Processor | undefined;

  constructor(name: string, world: World, queue: SimQueue) {
    this.#name = name;
    this.#world = world;
    this.#queue = queue;
  }

  poll(delayMs: number, most: number): void {
    this.#world.scheduler.after(
      delayMs,
      () => {
        const process = this.#livingProcess();
        const messages = this.#queue.receive(process, most);
        if (messages.length === 0) this.poll(POLL_EVERY_MS, most);
        else this.#invoke(process, messages, most);
      },
      { inOrder: true },
    );
  }

  #livingProcess(): SimProcess {
    if (this.#process === undefined || this.#process.isDead) {
      this.#lives += 1;
      this.#process = new SimProcess(
        this.#lives === 1 ? this.#name : `${this.#name}${this.#lives}`,
        this.#world.scheduler,
      );
      this.#processor = processorIn(this.#world, this.#process);
    }
    return this.#process;
  }

  #invoke(process: SimProcess, messages: readonly Message[], most: number): void {
    const world = this.#world;
    const fromMs = world.nowMs;
    let isOver = false;
    this.isBusy = true;
    const end = (ended: 'answered' | 'died' | 'timed out', pollInMs: number): void => {
      if (isOver) return;
      isOver = true;
      this.isBusy = false;
      world.invoked({ process: process.name, fromMs, untilMs: world.nowMs, ended });
      this.poll(pollInMs, most);
    };

    process.onDeath = () => {
      world.happens('dies', process, undefined, 'the process dies');
      end('died', RESTART_MS);
    };
    world.scheduler.after(FUNCTION_TIMEOUT_MS, () => {
      if (isOver) return;
      world.happens('times out', process, undefined, 'the function times out');
      // One that stands still is frozen and thaws later; Lambda starts another beside it.
      if (this.#process === process) this.#process = undefined;
      end('timed out', RESTART_MS);
    });
    const context = {
      functionName: 'orders',
      functionVersion: '1',
      awsRequestId: `${process.name}-${fromMs}`,
      getRemainingTimeInMillis: () => fromMs + FUNCTION_TIMEOUT_MS - world.nowMs,
    };
    void this.#processor?.(eventOf(messages), context as never).then((answer) => {
      if (isOver || process.isDead) return;
      const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      world.happens(
        'answers',
        process,
        undefined,
        `answers: ${failed.size} of ${messages.length} must come again`,
      );
      this.#queue.delete(messages.filter(({ id }) => !failed.has(id)));
      end('answered', POLL_EVERY_MS);
      if (messages.some(({ order }) => order === AFFECTED))
        world.crashesAt('after-answer', AFFECTED, process);
    });
  }
}

function processorIn(world: World, process: SimProcess) {
  const { fault } = world;
  return createBatchProcessor<{ readonly orderId: string }>(
    async ({ body: { orderId }, receiveCount }, { idempotencyKey }) => {
      world.happens('handler starts', process, orderId, 'the handler starts');
      const standsStillMs = world.standsStillMs(orderId);
      if (standsStillMs !== undefined) {
        world.happens(
          'stands still',
          process,
          orderId,
          `the process stands still for ${standsStillMs / 1_000} s`,
        );
        process.standStill(standsStillMs);
      }
      await process.sleep(HANDLER_MS / 2);
      if (standsStillMs !== undefined) world.happens('goes on', process, orderId, 'the process goes on');
      if (orderId === AFFECTED && fault.fails === 'kills') process.die();
      world.crashesAt('in-handler', idempotencyKey, process);
      await process.sleep(HANDLER_MS / 2);
      failIf(orderId === AFFECTED ? fault.fails : undefined, receiveCount);
      world.charge(orderId, process);
      world.crashesAt('after-effect', idempotencyKey, process);
      await process.sleep(HANDLER_MS / 10);
      return { charged: orderId };
    },
    {
      source: sqs(),
      store: storeOf(world, process),
      clock: process.clock,
      namespace: 'orders',
      key: ({ body }) => body.orderId,
      ...(fault.fails === 'kills' && { maxCrashes: 2 }),
    },
  );

  function failIf(fails: Fault['fails'], receiveCount: number): void {
    if (fails === 'for good') throw new PermanentError('The card was declined');
    if (typeof fails === 'number' && receiveCount <= fails) throw new Error('The provider did not answer');
  }
}

function eventOf(messages: readonly Message[]) {
  return {
    Records: messages.map(({ id, order, receives }) => ({
      messageId: id,
      receiptHandle: id,
      body: JSON.stringify({ orderId: order }),
      attributes: { ApproximateReceiveCount: String(receives), SentTimestamp: '0' },
      messageAttributes: {},
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:orders',
    })),
  };
}
