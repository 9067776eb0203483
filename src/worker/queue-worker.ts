import { EventEmitter } from 'node:events';
import { type Host, hostedBy } from '../attempts/host.ts';
import { systemClock, wait } from '../claims/clock.ts';
import { ConfigurationError } from '../claims/errors.ts';
import { Stop } from '../claims/stop.ts';
import { CallDeadline } from './call-deadline.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { Deletions } from './deletions.ts';
import { failedItems } from './failed-items.ts';
import { type Health, type HealthServer, startHealthServer } from './health.ts';
import { type HeldMessage, type Parcel, parcelsOf } from './held-message.ts';
import { Inbox } from './inbox.ts';
import { contextOf, sqsEventOf } from './lambda-event.ts';
import {
  type MessageQueue,
  MOST_IN_REQUEST,
  type QueueFacts,
  type ReceivedMessage,
} from './message-queue.ts';
import type { WorkerOptions } from './options.ts';
import { RateLimit } from './rate.ts';
import { Receivers } from './receivers.ts';
import { VisibilityKeeper } from './visibility-keeper.ts';
import type { Worker, WorkerCounters, WorkerEvents, WorkerState } from './worker.ts';

const LONG_POLL_SECONDS = 20;
/** A queue's visibility timeout may be shorter than a renewal takes: messages are hidden for at least this long. */
const SHORTEST_VISIBILITY_MS = 30_000;
/** How long handlers that are told to stop may take, within the stop's time. */
const GRACE_SHARE = 0.2;

/** Receives, calls the handler, deletes: what the parts of a worker do together. */
export class QueueWorker extends EventEmitter<WorkerEvents> implements Worker {
  readonly #options: WorkerOptions;
  readonly #queue: MessageQueue;
  readonly #clock;
  readonly #name: string;
  readonly #isFifo: boolean;
  readonly #deadline: CallDeadline;
  readonly #inbox: Inbox;
  readonly #deletions: Deletions;
  /** Aborted when nothing is received any more. */
  readonly #receiveStop = new Stop();
  readonly #counters = {
    received: 0,
    acknowledged: 0,
    failed: 0,
    deleted: 0,
    handedBack: 0,
    receiveErrors: 0,
  };
  readonly #breaker: CircuitBreaker;
  readonly #rate: RateLimit | undefined;
  #state: WorkerState = 'new';
  #facts: QueueFacts | undefined;
  #visibilityMs = SHORTEST_VISIBILITY_MS;
  #visibility: VisibilityKeeper | undefined;
  #receivers: Receivers | undefined;
  #health: HealthServer | undefined;
  #resumed: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: WorkerOptions, queue: MessageQueue) {
    super();
    const { clock = systemClock, queueUrl, maxInFlight = 100, receivers = 4 } = options;
    this.#options = options;
    this.#queue = queue;
    this.#clock = clock;
    this.#isFifo = queueUrl.endsWith('.fifo');
    this.#name = options.name ?? nameOfQueue(queueUrl);
    this.#deadline = new CallDeadline(clock);
    this.#inbox = new Inbox({
      maxInFlight,
      perGroup: this.#isFifo ? 1 : (options.concurrencyPerGroup ?? maxInFlight),
      ahead: Math.min(maxInFlight, receivers * MOST_IN_REQUEST),
      run: (parcel) => this.#run(parcel),
    });
    this.#rate = options.rate && new RateLimit(options.rate, clock);
    this.#breaker = new CircuitBreaker({
      clock,
      random: Math.random,
      onChange: (isOpen) => this.emit('storeDown', isOpen),
    });
    this.#deletions = new Deletions({
      queue,
      clock,
      random: Math.random,
      isBusy: () => this.#inbox.running > 0,
    });
  }

  get state(): WorkerState {
    return this.#state;
  }

  get counters(): WorkerCounters {
    return { ...this.#counters };
  }

  get running(): number {
    return this.#inbox.running;
  }

  get waiting(): number {
    return this.#inbox.waiting;
  }

  async start(): Promise<void> {
    if (this.#state !== 'new') {
      throw new ConfigurationError(`A worker starts once, and this one is ${this.#state}; make another`);
    }
    this.#setState('running');
    const { receivers = 4, health } = this.#options;
    if (health !== undefined) this.#health = await startHealthServer(health, () => this.#tell());
    let facts;
    try {
      facts = await this.#queue.facts(this.#receiveStop);
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (this.#receiveStop.aborted) return;
    this.#facts = facts;
    this.#visibilityMs = Math.max(facts.visibilityTimeoutMs, SHORTEST_VISIBILITY_MS);
    this.#visibility = new VisibilityKeeper({
      queue: this.#queue,
      clock: this.#clock,
      timeoutMs: this.#visibilityMs,
      signal: this.#deadline.answerNow,
      onLost: ({ message: { messageId } }, error) => this.emit('visibilityLost', { messageId, error }),
    });
    this.#receivers = new Receivers({
      queue: this.#queue,
      permits: this.#inbox.permits,
      clock: this.#clock,
      random: Math.random,
      receivers,
      isFifo: this.#isFifo,
      waitSeconds: LONG_POLL_SECONDS,
      visibilitySeconds: this.#visibilityMs / 1_000,
      stop: this.#receiveStop,
      mayReceive: () => this.#resumed?.promise ?? this.#breaker.mayReceive(),
      onMessages: (messages) => this.#admit(messages),
      onError: (error, nextInMs) => {
        this.#counters.receiveErrors += 1;
        this.emit('receiveFailed', { error, nextInMs });
      },
    });
    this.#receivers.start();
  }

  /** For the health endpoint. */
  #tell(): Health {
    const { state, running, waiting, counters } = this;
    return { state, running, waiting, counters, failuresInARow: this.#receivers?.failures ?? 0 };
  }

  pause(): void {
    if (this.#state !== 'running') return;
    let resolve = (): void => undefined;
    const promise = new Promise<void>((resumed) => (resolve = resumed));
    this.#resumed = { promise, resolve };
    this.#setState('paused');
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#setState('running');
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const { shutdownTimeoutMs = 25_000 } = this.#options;
    this.#setState('stopping');
    this.#receiveStop.abort();
    this.#resumed?.resolve();
    this.#breaker.stop();
    this.#inbox.permits.wakeAll();
    this.#deadline.end(shutdownTimeoutMs, shutdownTimeoutMs * GRACE_SHARE);
    const isOver = new Stop();
    const over = wait(this.#clock, shutdownTimeoutMs, isOver);
    const unstarted = this.#inbox.close().flatMap(({ held }) => [...held]);
    await Promise.race([
      over,
      Promise.all([
        this.#handBack(unstarted),
        this.#receivers?.ended(),
        this.#inbox.idle().then(() => this.#deletions.settled()),
      ]),
    ]);
    isOver.abort();
    this.#deadline.cancelTimers();
    this.#deadline.endNow();
    this.#deletions.giveUp();
    this.#setState('stopped');
    await this.#health?.close();
  }

  #admit(messages: readonly ReceivedMessage[]): void {
    if (messages.length === 0) {
      this.#breaker.noteEmpty();
      return;
    }
    const receivedAt = this.#clock.now();
    const hiddenUntil = receivedAt + this.#visibilityMs;
    const held = messages.map((message): HeldMessage => ({ message, receivedAt, hiddenUntil }));
    this.#counters.received += messages.length;
    this.emit('received', messages.length);
    if (this.#receiveStop.aborted) {
      this.#inbox.permits.give(messages.length);
      void this.#handBack(held);
      return;
    }
    this.#visibility?.keep(held);
    this.#inbox.admit(parcelsOf(held, this.#isFifo));
  }

  /** Shows messages again that have not started. They have been received once more, which cannot be taken back. */
  async #handBack(held: readonly HeldMessage[]): Promise<void> {
    await this.#visibility?.release(held);
    this.#counters.handedBack += held.length;
    const requests: Promise<unknown>[] = [];
    for (let from = 0; from < held.length; from += MOST_IN_REQUEST) {
      const changes = held
        .slice(from, from + MOST_IN_REQUEST)
        .map(({ message: { receiptHandle } }) => ({ receiptHandle, seconds: 0 }));
      requests.push(this.#queue.changeVisibility(changes, this.#deadline.answerNow));
    }
    await Promise.allSettled(requests); // else they are shown again when their time is over
  }

  async #run({ held }: Parcel): Promise<void> {
    const messages = held.map(({ message }) => message);
    const release = (): Promise<void> => this.#visibility?.release(held) ?? Promise.resolve();
    let storeFailed = false;
    const beforeHandBack: Host['beforeHandBack'] = (report) => {
      ({ storeFailed } = report);
      return release();
    };
    if (this.#rate !== undefined) {
      await this.#rate.take(messages.length, this.#receiveStop);
      if (this.#receiveStop.aborted) return this.#handBack(held); // it has not started
    }
    const context = hostedBy(
      { deadline: this.#deadline, beforeHandBack },
      contextOf(this.#name, () => this.#deadline.remainingTimeMs()),
    );
    let failed: ReadonlySet<string>;
    try {
      const answer = await this.#options.handler(sqsEventOf(messages, this.#facts?.arn ?? ''), context);
      failed = failedItems(
        answer,
        messages.map(({ messageId }) => messageId),
      );
    } catch (thrown) {
      failed = new Set(messages.map(({ messageId }) => messageId));
      this.emit('handlerFailed', thrown);
    }
    if (storeFailed) this.#breaker.noteFailure();
    else this.#breaker.noteSuccess();
    await release();
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    this.#counters.acknowledged += done.length;
    this.#counters.failed += messages.length - done.length;
    this.emit('handled', { acknowledged: done.length, failed: messages.length - done.length });
    if (done.length > 0) void this.#delete(done);
  }

  /** Not waited for: the slot is free for the next. Never rejects. */
  async #delete(messages: readonly ReceivedMessage[]): Promise<void> {
    const errors = await this.#deletions.delete(messages.map(({ receiptHandle }) => receiptHandle));
    messages.forEach(({ messageId }, index) => {
      const error = errors[index];
      if (error === undefined) this.#counters.deleted += 1;
      else this.emit('deleteFailed', { messageId, error });
    });
  }

  #setState(state: WorkerState): void {
    this.#state = state;
    this.emit('state', state);
  }
}

function nameOfQueue(queueUrl: string): string {
  return new URL(queueUrl).pathname.split('/').at(-1) || 'worker';
}
