import type { Context } from 'aws-lambda';
import type { BatchResponse } from '../../../src/batch/response.ts';
import type { Random } from '../virtual-world/random.ts';
import { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { type Delivery, Invocation } from './invocation.ts';
import type { SimQueue } from './sim-queue.ts';

/** The code under test, as one process runs it. */
export type Processor = (event: unknown, lambda?: Context) => Promise<BatchResponse | undefined>;

export interface WorkerSetup {
  readonly world: World;
  readonly queue: SimQueue;
  readonly onInvoke: (invocation: Invocation) => void;
  readonly onAnswer: (invocation: Invocation, response: BatchResponse | undefined) => void;
  readonly onFailure: (invocation: Invocation, error: unknown) => void;
  readonly startProcessor: (process: SimProcess) => Processor;
}

/** How often an idle slot looks for messages at most. */
const POLL_MS = 20;

/**
 * One of the queue's consumers, as Lambda's event source mapping is: receives a batch, invokes a process with
 * it, deletes what the response does not name. A process that dies, or is killed at the function's timeout,
 * answers nothing; its messages come back, and a new process takes the slot.
 */
export class WorkerSlot {
  readonly #name: string;
  readonly #setup: WorkerSetup;
  readonly #world: World;
  readonly #random: Random;
  #process: SimProcess | undefined;
  #processor: Processor | undefined;
  #processes = 0;
  #invocations = 0;
  #current: Invocation | undefined;

  constructor(name: string, setup: WorkerSetup) {
    this.#name = name;
    this.#setup = setup;
    this.#world = setup.world;
    this.#random = setup.world.random.fork(name);
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Looks for messages, now and whenever there may be some. */
  poll(): void {
    const { queue } = this.#setup;
    const deliveries = queue.receive(this.#world.scenario.batchSize);
    if (deliveries.length > 0) {
      this.#invoke(deliveries);
      return;
    }
    const next = queue.nextVisibleAt() ?? this.#world.now + 1_000;
    const waitMs = Math.max(POLL_MS, next - this.#world.now);
    this.#world.scheduler.after(waitMs + this.#random.integer(0, POLL_MS), () => this.poll());
  }

  #invoke(deliveries: readonly Delivery[]): void {
    const process = this.#livingProcess();
    this.#invocations += 1;
    const invocation = new Invocation(
      this.#world,
      `${process.name}.${this.#invocations}`,
      process,
      deliveries,
    );
    this.#current = invocation;
    this.#setup.onInvoke(invocation);
    this.#world.count('invocations');
    this.#world.log(invocation.id, () => `receives ${deliveries.map(shown).join(', ')}`);
    process.thaw();
    this.#limitTime(invocation);
    const processor = this.#processor as Processor;
    processor(this.#setup.queue.eventOf(deliveries), this.#lambdaContext(invocation)).then(
      (response) => this.#answered(invocation, response),
      (error: unknown) => this.#failed(invocation, error),
    );
  }

  #answered(invocation: Invocation, response: BatchResponse | undefined): void {
    invocation.process.mayDie('as it answers');
    if (invocation.isOver) return;
    this.#setup.onAnswer(invocation, response);
    const failed = new Set(response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    this.#end(invocation);
    this.#setup.queue.answered(invocation.deliveries, failed, this.#random);
  }

  #failed(invocation: Invocation, error: unknown): void {
    if (invocation.isOver) return;
    this.#setup.onFailure(invocation, error);
    this.#end(invocation);
    this.#setup.queue.unanswered(invocation.deliveries);
  }

  #end(invocation: Invocation): void {
    invocation.isOver = true;
    this.#current = undefined;
    if (this.#world.scenario.platform === 'lambda') invocation.process.freeze();
    this.#world.scheduler.after(this.#random.integer(1, 100), () => this.poll());
  }

  /** Lambda ends the process of an invocation that takes too long. */
  #limitTime(invocation: Invocation): void {
    if (this.#world.scenario.platform !== 'lambda') return;
    this.#world.scheduler.after(this.#world.scenario.functionTimeoutMs, () => {
      if (invocation.isOver) return;
      this.#world.count('invocations timed out');
      invocation.process.die('the function timed out');
    });
  }

  #livingProcess(): SimProcess {
    if (this.#process !== undefined && !this.#process.isDead) return this.#process;
    this.#processes += 1;
    const process = new SimProcess(this.#world, `${this.#name}${letter(this.#processes)}`);
    process.onDeath = () => {
      if (this.#current === undefined) return;
      const { deliveries } = this.#current;
      this.#current.isOver = true;
      this.#current = undefined;
      this.#setup.queue.unanswered(deliveries);
      this.#world.scheduler.after(this.#random.integer(50, 1_000), () => this.poll());
    };
    this.#process = process;
    this.#processor = this.#setup.startProcessor(process);
    return process;
  }

  #lambdaContext({ id, process }: Invocation): Context | undefined {
    const { platform, functionTimeoutMs } = this.#world.scenario;
    if (platform !== 'lambda') return undefined;
    const endsAt = process.now() + functionTimeoutMs;
    return {
      callbackWaitsForEmptyEventLoop: true,
      functionName: 'simulated',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:simulated',
      memoryLimitInMB: '128',
      awsRequestId: id,
      logGroupName: '/aws/lambda/simulated',
      logStreamName: process.name,
      getRemainingTimeInMillis: () => endsAt - process.now(),
      done: () => undefined,
      fail: () => undefined,
      succeed: () => undefined,
    };
  }
}

function shown({ message, receipt }: Delivery): string {
  return receipt === 1 ? message.id : `${message.id} (${receipt})`;
}

/** a, b, … z, aa, ab, … */
function letter(count: number): string {
  const rest = count - 1;
  const last = String.fromCharCode(97 + (rest % 26));
  return rest < 26 ? last : letter(Math.floor(rest / 26)) + last;
}
