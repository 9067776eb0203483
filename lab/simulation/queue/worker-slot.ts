import type { Context } from 'aws-lambda';
import type { BatchResponse } from '../../../src/sources/answers.ts';
import type { Random } from '../virtual-world/random.ts';
import type { World } from '../virtual-world/world.ts';
import { type Delivery, Invocation } from './invocation.ts';
import type { Sandbox } from './sandbox.ts';
import type { WorkerSetup } from './worker-setup.ts';

/** How often an idle slot looks for messages at most. */
const POLL_MS = 20;
/** How soon Lambda ends an invocation that began when its time was over. */
const NO_TIME_MS = 100;

/**
 * One of the queue's consumers, as Lambda's event source mapping is: receives a batch, invokes a process with
 * it, deletes what the response does not name. A process that dies answers nothing, and neither does an invocation
 * that takes longer than the function's timeout; the messages come back.
 */
export class WorkerSlot {
  readonly #sandbox: Sandbox;
  readonly #processorIndex: number;
  readonly #setup: WorkerSetup;
  readonly #world: World;
  readonly #random: Random;
  #current: Invocation | undefined;

  constructor(name: string, sandbox: Sandbox, processorIndex: number, setup: WorkerSetup) {
    this.#sandbox = sandbox;
    this.#processorIndex = processorIndex;
    this.#setup = setup;
    this.#world = setup.world;
    this.#random = setup.world.random.fork(name);
    sandbox.onDeath(() => {
      if (this.#current !== undefined) this.#giveUp(this.#current);
    });
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
    const process = this.#sandbox.livingProcess();
    const invocation = new Invocation(
      this.#world,
      this.#sandbox.nextInvocationId(),
      process,
      deliveries,
      this.#timeMs(),
    );
    this.#current = invocation;
    this.#setup.onInvoke(invocation);
    this.#world.count('invocations');
    this.#world.log(invocation.id, () => `receives ${deliveries.map(shown).join(', ')}`);
    process.thaw();
    this.#limitTime(invocation);
    const processor = this.#sandbox.processor(this.#processorIndex);
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

  /** Nobody is left who could answer, or it is too late for that. */
  #giveUp(invocation: Invocation): void {
    invocation.isOver = true;
    this.#current = undefined;
    this.#setup.queue.unanswered(invocation.deliveries);
    this.#world.scheduler.after(this.#random.integer(50, 1_000), () => this.poll());
  }

  #timeMs(): number {
    const { platform, functionTimeoutMs, faults } = this.#world.scenario;
    if (platform === 'long-lived') return Infinity;
    if (this.#world.isCalm) return functionTimeoutMs;
    if (this.#random.chance(faults.noTime)) return -this.#random.pick([0, 1, 500]);
    return this.#random.chance(faults.shortTime)
      ? this.#random.magnitude(50, functionTimeoutMs)
      : functionTimeoutMs;
  }

  /** Lambda ends the process of an invocation that takes too long; on managed instances others may be running in it. */
  #limitTime(invocation: Invocation): void {
    const { timeMs, process } = invocation;
    if (timeMs === Infinity) return;
    this.#world.scheduler.after(Math.max(timeMs, NO_TIME_MS), () => {
      if (invocation.isOver) return;
      this.#world.count('invocations timed out');
      this.#setup.onTimeout(invocation);
      if (this.#world.scenario.platform === 'lambda') process.die('the function timed out');
      else this.#giveUp(invocation);
    });
  }

  #lambdaContext({ id, process, timeMs }: Invocation): Context | undefined {
    if (timeMs === Infinity) return undefined;
    const endsAt = process.now() + timeMs;
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
