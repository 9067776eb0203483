import { EventEmitter } from 'node:events';
import type { SQSEvent } from 'aws-lambda';
import { systemClock, wait } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import { Stop } from '../base/stop.ts';
import { CallDeadline } from './call-deadline.ts';
import { Calls } from './calls.ts';
import { Deletions } from './deletions.ts';
import { CLAIM_STORE } from './dependencies.ts';
import {
  emitSafely,
  type Worker,
  type WorkerCounters,
  type WorkerEvents,
  type WorkerHealth,
  type WorkerState,
} from './worker.ts';
import { Flow } from './flow.ts';
import { type HealthServer, startHealthServer } from './health.ts';
import { type HeldMessage, type HandlerBatch, handlerBatchesOf } from './held-message.ts';
import { MessageLeases } from './message-leases.ts';
import { nameOfQueue, sqsEventOf } from './lambda-event.ts';
import type { MessageQueue, ReceivedMessage } from './sqs-queue.ts';
import { assertConsistent, type WorkerOptions } from './options.ts';
import { withRateKeys } from './rate-limits.ts';
import { type CallSize, callSizeOf } from './ready-batches.ts';
import { Receivers } from './receivers.ts';
import { steadyClock } from './timers.ts';

/** SQS's longest. */
const LONG_POLL_SECONDS = 20;
/** The share of the shutdown time in which handlers must end after their signal. */
const GRACE_SHARE = 0.2;

/** The worker: connects receivers, scheduler, calls and deletions. */
export class QueueWorker extends EventEmitter<WorkerEvents> implements Worker {
  readonly #options: WorkerOptions;
  readonly #queue: MessageQueue;
  readonly #clock;
  readonly #isFifo: boolean;
  readonly #callSize: CallSize | undefined;
  readonly #deadline: CallDeadline;
  readonly #flow: Flow;
  readonly #calls: Calls;
  readonly #deletions: Deletions;
  /** Aborted when the worker stops receiving. */
  readonly #receiveStop = new Stop();
  readonly #counters = {
    received: 0,
    acknowledged: 0,
    failed: 0,
    deleted: 0,
    receivedAgain: 0,
    handedBack: 0,
    receiveErrors: 0,
  };
  readonly #leases: MessageLeases;
  #state: WorkerState = 'new';
  #queueArn = '';
  #receivers: Receivers | undefined;
  #health: HealthServer | undefined;
  #pauseReason: string | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: WorkerOptions, queue: MessageQueue) {
    super();
    const { clock = steadyClock, queueUrl } = options;
    this.#options = options;
    this.#queue = queue;
    this.#clock = clock;
    this.#isFifo = queueUrl.endsWith('.fifo');
    assertConsistent(options, this.#isFifo);
    this.#callSize = callSizeOf(options);
    this.#deadline = new CallDeadline(options.clock ?? systemClock); // handlers read it by their own clock
    this.#flow = new Flow(options, {
      clock,
      isFifo: this.#isFifo,
      callSize: this.#callSize,
      run: (call) => this.#calls.run(call),
      handBack: (held, at) => this.#leases.handBackUntil(held, at),
      onDown: (name, isDown) =>
        name === CLAIM_STORE
          ? this.#emit('storeDown', isDown)
          : this.#emit('dependencyDown', { name, isDown }),
    });
    this.#deletions = new Deletions({
      queue,
      clock,
      random: Math.random,
      isBusy: () => this.#flow.scheduler.running > 0,
    });
    this.#leases = new MessageLeases({
      queue,
      clock,
      counters: this.#counters,
      signal: this.#deadline.answerNow,
      onLost: (messageId, error) => this.#emit('visibilityLost', { messageId, error }),
    });
    this.#calls = new Calls({
      options,
      name: options.name ?? nameOfQueue(queueUrl),
      isFifo: this.#isFifo,
      clock,
      deadline: this.#deadline,
      flow: this.#flow,
      leases: this.#leases,
      deletions: this.#deletions,
      counters: this.#counters,
      eventOf: (held) => this.#eventOf(held),
      emit: this.#emit.bind(this),
    });
  }

  get state(): WorkerState {
    return this.#state;
  }

  get counters(): WorkerCounters {
    return { ...this.#counters };
  }

  get running(): number {
    return Math.max(this.#flow.scheduler.running, this.#calls.handlers);
  }

  get waiting(): number {
    return this.#flow.scheduler.waiting;
  }

  get setAside(): number {
    return this.#flow.scheduler.setAside;
  }

  get limit(): number {
    return this.#flow.scheduler.limit;
  }

  get down(): readonly string[] {
    return this.#flow.down;
  }

  get pauseReason(): string | undefined {
    return this.#pauseReason;
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') {
      throw new ConfigurationError(`The worker is ${this.#state} and starts only once: create another`);
    }
    this.#setState('running');
    const { receivers = 4, waitTimeSeconds = LONG_POLL_SECONDS, health } = this.#options;
    let facts;
    try {
      if (health !== undefined) this.#health = await startHealthServer(health, () => this.health());
      facts = await this.#queue.facts(this.#receiveStop);
    } catch (error) {
      if (!this.#receiveStop.aborted) {
        await this.stop();
        throw error;
      }
    }
    if (facts === undefined || this.#receiveStop.aborted) return this.#health?.close();
    this.#queueArn = facts.arn;
    this.#leases.start(facts);
    this.#receivers = new Receivers({
      queue: this.#queue,
      permits: this.#flow.scheduler.permits,
      clock: this.#clock,
      random: Math.random,
      receivers,
      isFifo: this.#isFifo,
      waitSeconds: waitTimeSeconds,
      visibilitySeconds: this.#leases.visibilityMs / 1_000,
      stop: this.#receiveStop,
      giveUp: this.#deadline.answerNow,
      enough: this.#flow.enough,
      isHungry: () => this.#flow.scheduler.isHungry,
      mayReceive: () => this.#flow.mayReceive(),
      onMessages: (messages) => this.#admit(messages),
      onError: (error, nextInMs) => {
        this.#counters.receiveErrors += 1;
        this.#emit('receiveFailed', { error, nextInMs });
      },
    });
    this.#receivers.start();
  }

  health(): WorkerHealth {
    const { state, running, waiting, setAside, limit, down, pauseReason, counters } = this;
    const { dependencies = [] } = this.#options;
    const told = { state, running, waiting, setAside, limit, down, pauseReason, counters };
    return {
      ...told,
      dependencies: [CLAIM_STORE, ...dependencies.map(({ name }) => name)],
      failuresInARow: this.#receivers?.failures ?? 0,
      isReached: this.#queueArn !== '',
      storeSilentForMs: this.#calls.storeSilentForMs,
    };
  }

  pause(reason?: string): void {
    if (this.#state !== 'running') return;
    this.#pauseReason = reason;
    this.#flow.pause();
    this.#setState('paused');
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#pauseReason = undefined;
    this.#setState('running');
    this.#flow.resume();
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const { shutdownTimeoutMs = 25_000 } = this.#options;
    this.#setState('stopping');
    this.#receiveStop.abort();
    this.#deadline.end(shutdownTimeoutMs, shutdownTimeoutMs * GRACE_SHARE);
    const isOver = new Stop();
    const over = wait(this.#clock, shutdownTimeoutMs, isOver);
    this.#handBack(this.#flow.stop());
    await Promise.race([
      over,
      Promise.all([
        this.#receivers?.ended(),
        this.#flow.scheduler.idle().then(() => {
          this.#handBack(this.#flow.stop());
          return this.#deletions.settled();
        }),
      ]).then(() => this.#leases.settled()),
    ]);
    isOver.abort();
    this.#deadline.endNow();
    this.#deletions.giveUp();
    this.#setState('stopped');
    await this.#health?.close();
  }

  #admit(received: readonly ReceivedMessage[]): void {
    if (received.length === 0) return;
    const held = this.#leases.take(received);
    const { permits } = this.#flow.scheduler;
    permits.give(received.length - held.length);
    if (this.#receiveStop.aborted) {
      permits.give(held.length);
      void this.#leases.handBack(held);
    } else {
      const batches = handlerBatchesOf(held, this.#isFifo, this.#callSize?.size);
      this.#flow.scheduler.admit(this.#keyed(batches));
    }
    this.#emit('received', received.length);
  }

  /** Adds the keys of the rates. A message whose key function fails does not start, nor those behind it. */
  #keyed(batches: readonly HandlerBatch[]): HandlerBatch[] {
    const { rates, scheduler } = this.#flow;
    const all = withRateKeys(batches, rates, this.#isFifo, (held) => this.#eventOf(held));
    for (const { left, ...keyed } of all) {
      if (left.length === 0) continue;
      scheduler.permits.give(left.length);
      this.#counters.failed += left.length;
      const ids = new Set(left.map(({ message }) => message.messageId));
      void this.#leases.releaseRun(left, ids).then(() => this.#leases.forget(left));
      if ('error' in keyed) this.#emit('handlerFailed', keyed.error);
    }
    return all.flatMap(({ batch }) => (batch.held.length === 0 ? [] : [batch]));
  }

  /** Makes messages visible again that have not started; those that wait for a lease, when it ends. */
  #handBack(batches: readonly HandlerBatch[]): void {
    const now = this.#clock.now();
    const together = batches.filter(({ startsAt }) => startsAt === undefined);
    void this.#leases.handBack(together.flatMap(({ held }) => held));
    for (const { held, startsAt } of batches) {
      if (startsAt !== undefined) void this.#leases.handBack(held, Math.max(startsAt - now, 0));
    }
  }

  #eventOf(held: readonly HeldMessage[]): SQSEvent {
    return sqsEventOf(
      held.map(({ message }) => message),
      this.#queueArn,
    );
  }

  #emit<Name extends keyof WorkerEvents>(name: Name, ...args: WorkerEvents[Name]): void {
    emitSafely(this, name, ...args);
  }

  #setState(state: WorkerState): void {
    this.#state = state;
    this.#emit('state', state);
  }
}
