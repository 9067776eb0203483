import { randomUUID } from 'node:crypto';
import type { Context, SQSEvent } from 'aws-lambda';
import {
  type BatchEvent,
  type BatchProcessor,
  type BatchProcessorOptions,
  type BatchResponse,
  type Claim,
  type ClaimStore,
  createBatchProcessor,
  type RecordHandler,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, type ManualClock, manualClock, type SqsMessage, sqsEvent } from 'batchlatch/testing';

/** Processors on one store and one clock that stands still, and everything they tell their observer. */
export interface Bench {
  readonly clock: ManualClock;
  readonly store: ClaimStore;
  readonly events: BatchEvent[];
  /** A processor of this bench; its options win over the bench's own. */
  processor(handler: RecordHandler, options?: BatchProcessorOptions): BatchProcessor;
  /** The same, run once over messages with these ids, outside Lambda. */
  run(handler: RecordHandler, ids: readonly string[], options?: BatchProcessorOptions): Promise<string[]>;
  /** A Lambda invocation that ends `remainingTimeMs` from now by the bench's clock. */
  lambda(remainingTimeMs: number): Context;
  /** The key of the record with this id. */
  key(id: string): string;
  /** The row of the record with this id. */
  claim(id: string): Promise<Claim | undefined>;
  /** Leaves these records' claims as a process leaves them that dies: in progress, their leases lapsed. */
  die(...ids: string[]): Promise<void>;
  /** Claims these records for somebody else, for a minute. */
  occupy(...ids: string[]): Promise<void>;
  /** What was told of one record, in order. */
  typesOf(id: string): string[];
  /** The events of one type, in order. */
  eventsOf<Type extends BatchEvent['type']>(type: Type): Extract<BatchEvent, { type: Type }>[];
  /** Resolves when an event of this type, of this record if one is named, has been told. */
  told(type: BatchEvent['type'], id?: string): Promise<void>;
}

/** Somebody else's lease, in milliseconds. */
const OTHERS_LEASE_MS = 60_000;

export function bench(
  makeStore: (clock: ManualClock) => ClaimStore = (clock) => memoryStore({ clock }),
): Bench {
  const clock = manualClock();
  const store = makeStore(clock);
  const namespace = `bench-${randomUUID()}`;
  const events: BatchEvent[] = [];
  const listeners = new Set<(event: BatchEvent) => void>();
  const observer = {
    onEvent(event: BatchEvent) {
      events.push(event);
      for (const listener of listeners) listener(event);
    },
  };
  const key = (id: string): string => `${namespace}#v1:${id}`;

  async function claimForOthers(ids: readonly string[], leaseMs: number): Promise<void> {
    await store.acquire(
      ids.map((id) => ({ key: key(id), owner: randomUUID(), leaseMs, retentionMs: 3_600_000 })),
    );
  }

  function processor(handler: RecordHandler, options: BatchProcessorOptions = {}): BatchProcessor {
    return createBatchProcessor(handler, { store, clock, observer, namespace, ...options });
  }

  return {
    clock,
    store,
    events,
    processor,
    run: async (handler, ids, options) => failed(await processor(handler, options)(messages(...ids))),
    lambda: (remainingTimeMs) => lambdaContext({ remainingTimeMs, clock }),
    key,
    claim: (id) => store.inspect(key(id)),
    async die(...ids) {
      await claimForOthers(ids, 1_000);
      await clock.advance(1_000);
    },
    occupy: (...ids) => claimForOthers(ids, OTHERS_LEASE_MS),
    typesOf: (id) => events.filter((event) => isAbout(event, id)).map(({ type }) => type),
    eventsOf: <Type extends BatchEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<BatchEvent, { type: Type }> => event.type === type),
    told(type, id) {
      const isIt = (event: BatchEvent): boolean =>
        event.type === type && (id === undefined || isAbout(event, id));
      if (events.some(isIt)) return Promise.resolve();
      return new Promise((resolve) => {
        listeners.add(function listener(event) {
          if (!isIt(event)) return;
          listeners.delete(listener);
          resolve();
        });
      });
    },
  };
}

function isAbout(event: BatchEvent, id: string): boolean {
  if ('recordId' in event) return event.recordId === id;
  return event.type === 'settling' && event.ends.some(({ recordId }) => recordId === id);
}

/** A batch of a standard queue. */
export function messages(...ids: string[]): SQSEvent {
  return sqsEvent(ids.map(message));
}

/** A batch of a FIFO queue: the message `a2` is of the group `a`. */
export function fifo(...ids: string[]): SQSEvent {
  return sqsEvent(
    ids.map((id) => ({ ...message(id), messageGroupId: id.charAt(0) })),
    { fifo: true },
  );
}

function message(id: string): SqsMessage {
  return { messageId: id, body: { id } };
}

/** The ids that are handed back, in the order of the response. */
export function failed(response: BatchResponse): string[] {
  return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

/** A promise and the functions that settle it. */
export interface Deferred<Value = void> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}

/** Lets the time go on until the answer is there; fails when two seconds do not bring it. */
export async function inTime<Answer>(clock: ManualClock, answer: Promise<Answer>): Promise<Answer> {
  let isThere = false;
  const noted = answer.finally(() => {
    isThere = true;
  });
  for (let ms = 0; ms < 2_000 && !isThere; ms += 1) await clock.advance(1);
  if (!isThere) throw new Error('It does not come to an end');
  return noted;
}

/** What a handler is that never ends. */
export function forever(): Promise<never> {
  return new Promise(() => undefined);
}

/** `n` ids: `r0`, `r1`, … */
export function ids(n: number, prefix = 'r'): string[] {
  return Array.from({ length: n }, (_, index) => `${prefix}${index}`);
}
