import { allSources, createBatchProcessor, messageId, payloadHash } from '../../src/core.ts';
import type { ClaimStore } from '../../src/claims/claim-store.ts';
import type { BatchEvent, Observer } from '../../src/observe/observer.ts';
import type { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Sandbox } from './sandbox.ts';
import type { AdvancingClock } from './advancing-clock.ts';

export const TIMEOUT_MS = 5_000;

/** How the keys of the playground are made, by the text that the reader picks. */
export const KEYS = {
  '({ body }) => body.orderId': () => (record: { readonly body: unknown }) =>
    String(Object(record.body).orderId),
  "payloadHash({ include: ['orderId'] })": () => payloadHash({ include: ['orderId'] }),
  'payloadHash()': () => payloadHash(),
  'messageId()': () => messageId(),
} as const;
export type KeyName = keyof typeof KEYS;

/** How an invocation ended, as Lambda sees it. */
export type Ending =
  | { readonly kind: 'answered'; readonly response: unknown }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'died' | 'timed out' };

/** An execution environment whose process runs one invocation. */
export interface Environment {
  readonly store: MemoryStore;
  readonly clock: AdvancingClock;
  readonly keyName: KeyName;
  readonly sandbox: Sandbox;
  /** Resolves when the handler ends its process. */
  readonly death: Promise<void>;
  readonly onEvent: (event: BatchEvent) => void;
}

/**
 * Invokes the processor of `batchlatch/core` with an event. A process that died, or that Lambda ended at the
 * timeout, writes nothing more: its claims stay as they are.
 */
export async function invoke(event: unknown, environment: Environment): Promise<Ending> {
  const { clock, sandbox } = environment;
  const life = { isOver: false };
  const deadline = clock.now() + TIMEOUT_MS;
  const processor = processorOf(environment, life);
  const lambda = {
    functionName: 'playground',
    functionVersion: '1',
    awsRequestId: crypto.getRandomValues(new Uint32Array(2)).join('-'),
    getRemainingTimeInMillis: () => deadline - clock.now(),
  };
  const answered = processor(event, lambda as never).then(
    (response): Ending => ({ kind: 'answered', response }),
    (error: unknown): Ending => ({
      kind: 'failed',
      error: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }),
  );
  let cancel = (): void => undefined;
  const timedOut = new Promise<Ending>((resolve) => {
    cancel = clock.setTimer(() => resolve({ kind: 'timed out' }), TIMEOUT_MS);
  });
  const died = environment.death.then((): Ending => ({ kind: 'died' }));
  const ending = await Promise.race([answered, died, timedOut]);
  cancel();
  life.isOver = true;
  sandbox.stop();
  return ending;
}

interface Life {
  isOver: boolean;
}

function processorOf({ store, clock, keyName, sandbox, onEvent }: Environment, life: Life) {
  const observer: Observer = {
    onEvent(event) {
      if (!life.isOver) onEvent(event);
    },
  };
  return createBatchProcessor(
    (record, context) => {
      const { idempotencyKey, attempt, leaseUntil, signal } = context;
      const plain = JSON.parse(JSON.stringify(record)) as unknown;
      return sandbox.call(plain, { idempotencyKey, attempt, leaseUntil }, signal);
    },
    {
      source: allSources(),
      store: reachedFrom(store, life),
      clock: whileAlive(clock, life),
      namespace: 'playground',
      key: KEYS[keyName](),
      observer,
    },
  );
}

/** The store as a process reaches it: calls of a dead one have no effect and no answer. */
function reachedFrom(store: MemoryStore, life: Life): ClaimStore {
  const asked = <Answer>(call: () => Promise<Answer>): Promise<Answer> =>
    life.isOver ? new Promise<never>(() => undefined) : call();
  return {
    acquire: (requests, options) => asked(() => store.acquire(requests, options)),
    settle: (settlements, options) => asked(() => store.settle(settlements, options)),
    extend: (extensions, options) => asked(() => store.extend(extensions, options)),
    start: (claims) => asked(async () => (await store.start?.(claims)) ?? []),
    inspect: (key) => asked(() => store.inspect(key)),
  };
}

function whileAlive(clock: AdvancingClock, life: Life): Pick<AdvancingClock, 'now' | 'setTimer'> {
  return {
    now: () => clock.now(),
    setTimer: (callback, delayMs) =>
      clock.setTimer(() => {
        if (!life.isOver) callback();
      }, delayMs),
  };
}
