import { type BatchEvent, createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import type { WorkerOptions } from 'batchlatch/worker';
import type { Clock } from '../../src/base/clock.ts';
import type { ClaimStore } from '../../src/claims/claim-store.ts';
import type { MessageQueue } from '../../src/worker/sqs-queue.ts';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import { type ScriptedQueue, scriptedQueue } from './scripted-queue.ts';

/** The body of a message of `runMortalWorkers`. */
interface MortalMessage {
  readonly id: string;
  readonly ms: number;
  /** Its handler ends the process. */
  readonly isPoison?: boolean;
}

export interface MortalSetup {
  readonly messages: readonly (MortalMessage & { readonly group?: string })[];
  readonly maxReceives: number;
  readonly fifo?: boolean;
  /** Processes at a time. Default 1. */
  readonly workers?: number;
  readonly options?: Partial<WorkerOptions>;
  /** Of the processor. */
  readonly leaseMs?: number;
  /** Whether the handler gets many records in one call. Default false. */
  readonly forBatches?: boolean;
}

export interface MortalReport {
  /** Ids of messages in the dead-letter queue. */
  readonly dead: readonly string[];
  /** Ids of those whose claims are completed. */
  readonly completed: readonly string[];
  /** Ids of those that were completed more than once. */
  readonly twice: readonly string[];
  /** Ids that were running beside a message that ended its process, one list for each death. */
  readonly beside: readonly (readonly string[])[];
  /** Claims that were refused because another attempt still had its lease. */
  readonly conflicts: number;
}

const LONGEST_MS = 3 * 60 * 60_000;
const RESTART_MS = 1_000;
const STORE_MS = 3;

/** Workers whose processes die of poison messages, and which a supervisor starts again, until the queue is empty. */
export async function runMortalWorkers(setup: MortalSetup): Promise<MortalReport> {
  const { messages, maxReceives, fifo = false, workers = 1 } = setup;
  const clock = manualClock();
  const queue = scriptedQueue(clock, { maxReceives, fifo });
  const idOf = new Map<string, string>();
  for (const { group, ...message } of messages) {
    idOf.set(queue.send(message, group === undefined ? {} : { group }), message.id);
  }
  const store = memoryStore({ clock });
  const completed: string[] = [];
  const beside: string[][] = [];
  let conflicts = 0;
  const noteConflict = (): void => void (conflicts += 1);
  const alive = new Set<Life>();

  const live = (): void => {
    const life = new Life(clock);
    alive.add(life);
    const running = new Set<string>();
    const die = (): void => {
      beside.push([...running]);
      life.end();
      alive.delete(life);
      clock.setTimer(live, RESTART_MS);
    };
    life.worker = startWorker(setup, { clock, queue, store, life, running, die, completed, noteConflict });
  };
  for (let index = 0; index < workers; index += 1) live();
  const endsAt = clock.now() + LONGEST_MS;
  while (queue.ids().length > 0 && clock.now() < endsAt) await clock.advance(1_000);
  const left = queue.ids().map((messageId) => idOf.get(messageId) ?? '');
  for (const { worker } of alive) {
    const stopped = worker?.stop();
    await clock.advance(60_000);
    await stopped;
  }
  if (left.length > 0) throw new Error(`Still in the queue: ${left.join(', ')}`);
  const dead = queue.dead().map((messageId) => idOf.get(messageId) ?? '');
  const rows = await Promise.all(messages.map(async ({ id }) => store.inspect(`mortal#v1:${id}`)));
  return {
    dead,
    completed: messages.flatMap(({ id }, index) => (rows[index]?.status === 'COMPLETED' ? [id] : [])),
    twice: completed.filter((id, index) => completed.indexOf(id) !== index),
    beside,
    conflicts,
  };
}

interface ProcessIo {
  readonly clock: ManualClock;
  readonly queue: ScriptedQueue;
  readonly store: ClaimStore;
  readonly life: Life;
  readonly running: Set<string>;
  readonly die: () => void;
  readonly completed: string[];
  readonly noteConflict: () => void;
}

function startWorker(setup: MortalSetup, around: ProcessIo): QueueWorker {
  const { life, running, die, completed } = around;
  const run = async ({ id, ms, isPoison = false }: MortalMessage): Promise<void> => {
    running.add(id);
    await new Promise<void>((resolve) => life.clock.setTimer(resolve, ms));
    running.delete(id);
    if (isPoison) {
      die();
      return life.never();
    }
  };
  const options = {
    store: life.storeOf(around.store),
    clock: life.clock,
    namespace: 'mortal',
    ...(setup.leaseMs !== undefined && { leaseMs: setup.leaseMs }),
    key: ({ body }: { readonly body: unknown }) => (body as MortalMessage).id,
    observer: {
      onEvent: ({ type }: BatchEvent) => void (type === 'conflict' && around.noteConflict()),
      onOutcome: (recordId: string, outcome: string) => {
        if (outcome === 'completed') completed.push(recordId);
      },
    },
  };
  const handler =
    setup.forBatches === true
      ? createBatchProcessor.forBatches<MortalMessage>(async (items) => {
          await Promise.all(items.map(async ({ record }) => run(record.body)));
        }, options)
      : createBatchProcessor<MortalMessage>(async ({ body }) => run(body), options);
  const queueUrl = `http://127.0.0.1/000000000000/${setup.fifo === true ? 'orders.fifo' : 'orders'}`;
  const worker = new QueueWorker(
    { queueUrl, client: {} as never, handler, clock: life.clock, ...setup.options },
    life.queueOf(around.queue),
  );
  void worker.start();
  return worker;
}

/** A process: once it has ended, none of its timers rings, and none of its requests leaves or is answered. */
class Life {
  readonly clock: Clock;
  worker: QueueWorker | undefined;
  readonly #clock: Clock;
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.clock = {
      now: () => clock.now(),
      setTimer: (callback, ms) => clock.setTimer(() => (this.#isOver ? undefined : callback()), ms),
    };
  }

  end(): void {
    this.#isOver = true;
  }

  never<Value>(): Promise<Value> {
    return new Promise(() => undefined);
  }

  storeOf(store: ClaimStore): ClaimStore {
    return {
      acquire: (...args) => this.#answered(() => store.acquire(...args)),
      settle: (...args) => this.#answered(() => store.settle(...args)),
      extend: (...args) => this.#answered(() => store.extend(...args)),
      start: (...args) => this.#answered(() => store.start?.(...args) ?? Promise.resolve([])),
      inspect: (...args) => this.#answered(() => store.inspect(...args)),
    };
  }

  queueOf(queue: MessageQueue): MessageQueue {
    return {
      facts: (...args) => this.#answered(() => queue.facts(...args), 0),
      receive: (...args) => this.#answered(() => queue.receive(...args), 0),
      delete: (...args) => this.#answered(() => queue.delete(...args), 0),
      changeVisibility: (...args) => this.#answered(() => queue.changeVisibility(...args), 0),
    };
  }

  async #answered<Answer>(ask: () => Promise<Answer>, ms = STORE_MS): Promise<Answer> {
    if (this.#isOver) return this.never();
    if (ms > 0) await new Promise<void>((resolve) => this.#clock.setTimer(resolve, ms / 2));
    if (this.#isOver) return this.never();
    const answer = await ask();
    if (ms > 0) await new Promise<void>((resolve) => this.#clock.setTimer(resolve, ms / 2));
    return this.#isOver ? this.never() : answer;
  }
}
