import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type BatchProcessorOptions, createBatchProcessor, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { createWorker, type Worker, type WorkerOptions } from 'batchlatch/worker';
import pLimit from 'p-limit';
import { emulatorClientConfig } from '../../../src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../../src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../support/components/describe-with.ts';
import { componentNamed } from '../../support/components/index.ts';
import { type FastClock, fastClock } from '../../support/fast-clock.ts';
import { type Interposed, type SqsProxy, startSqsProxy } from '../../support/sqs-proxy.ts';
import { createQueue, type Queue, type QueueOptions } from './create-queue.ts';
import { sendMessages } from './send-messages.ts';
import { startComponent } from './start-component.ts';

/** What a second is for the queue is a quarter of a minute for the worker: half a minute invisible is two seconds. */
export const FASTER = 15;
export const VISIBLE_AFTER_MS = 30_000 / FASTER;

const SERVICES = ['elasticmq', 'fauxqs'];

/** One queue with one worker, on one service, for one test. */
export interface WorkerBench {
  /** Asks the service itself. */
  readonly sqs: SQS;
  /** Asks by way of the proxy. */
  readonly client: SQS;
  /** What the worker asks goes through it. */
  readonly proxy: SqsProxy;
  /** The worker's and its claims'. */
  readonly clock: FastClock;
  readonly queue: Queue;
  send(...messages: readonly { readonly body: unknown; readonly group?: string }[]): Promise<void>;
  start<Body = unknown>(handler: RecordHandler<Body>, options?: StartOptions<Body>): Promise<Worker>;
  /** Changes what the worker's calls and their answers are, at the queue's pace. */
  interpose(interposed: Interposed): void;
  /** Bodies of all that anybody could receive now, hidden for a second. */
  visible(): Promise<string[]>;
  /** How many messages are in the queue, visible or not. */
  depth(queueUrl?: string): Promise<number>;
}

export interface StartOptions<Body> extends Partial<WorkerOptions> {
  readonly processor?: BatchProcessorOptions<Body>;
}

export type Scenario = (bench: WorkerBench) => Promise<void>;

/** Of scenarios: much of what they do is to wait. */
const AT_ONCE = 4;

/** Tests that run on all queue services; several at the same time, each on queues of its own. */
export function describeOnQueues(
  title: string,
  tests: (scenario: (title: string, run: Scenario, queue?: Partial<QueueOptions>) => void) => void,
): void {
  describeWith(SERVICES.map(componentNamed), title, () => {
    const limit = pLimit(AT_ONCE);
    const runs: (() => Promise<void>)[] = [];
    const results: Promise<void>[] = [];
    let services: LocalService[] = [];
    beforeAll(async () => {
      services = await Promise.all(SERVICES.map(startComponent));
      for (const run of runs) {
        const result = limit(run);
        result.catch(() => undefined); // its test says so
        results.push(result);
      }
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      await Promise.allSettled(results);
      await Promise.all(services.map((service) => service.stop()));
    });
    describe(`on ${SERVICES.join(' and ')}`, () => {
      tests((name, run, queue = {}) => {
        const index = runs.push(async () => {
          await Promise.all(services.map((service) => runOn(service, run, queue)));
        });
        test(name, () => results[index - 1]);
      });
    });
  });
}

async function runOn(service: LocalService, run: Scenario, queue: Partial<QueueOptions>): Promise<void> {
  const endings: (() => unknown)[] = [];
  try {
    await run(await benchOn(service, queue, (end) => endings.push(end)));
  } catch (error) {
    throw new Error(`On ${service.name}: ${String(error)}`, { cause: error });
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

async function benchOn(
  service: LocalService,
  options: Partial<QueueOptions>,
  defer: (end: () => unknown) => void,
): Promise<WorkerBench> {
  const proxy = await startSqsProxy(service.endpoint);
  defer(proxy.stop);
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: service.endpoint });
  const client = new SQS({ ...emulatorClientConfig, endpoint: proxy.endpoint });
  defer(() => [sqs, client].forEach((one) => one.destroy()));
  const clock = fastClock(FASTER);
  const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 30, ...options });
  const interpose: WorkerBench['interpose'] = (interposed) => proxy.interpose(atQueuesPace(interposed));
  interpose((_call, ask) => ask());
  return {
    sqs,
    client,
    proxy,
    clock,
    queue,
    interpose,
    send: (...messages) =>
      sendMessages(
        sqs,
        queue.queueUrl,
        messages.map(({ body, group }) => ({
          body: JSON.stringify(body),
          ...(group !== undefined && { messageGroupId: group }),
        })),
      ).then(() => undefined),
    async start(handler, { processor = {}, ...more } = {}) {
      const store = memoryStore({ clock });
      const worker = createWorker({
        queueUrl: proxy.through(queue.queueUrl),
        client,
        clock,
        handler: createBatchProcessor(handler, {
          store,
          clock,
          observer: { onEvent: () => undefined },
          ...processor,
        }),
        shutdownTimeoutMs: 1_000 * FASTER,
        ...more,
      });
      defer(() => worker.stop());
      await worker.start();
      return worker;
    },
    async visible() {
      const { Messages = [] } = await sqs.receiveMessage({
        QueueUrl: queue.queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 1,
      });
      return Messages.map(({ Body = '' }) => Body);
    },
    async depth(QueueUrl = queue.queueUrl) {
      const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
      const { ApproximateNumberOfMessages: shown, ApproximateNumberOfMessagesNotVisible: hidden } =
        Attributes;
      return Number(shown) + Number(hidden);
    },
  };
}

/** What the worker says in seconds of its own, the queue hears in its own. */
function atQueuesPace(interposed: Interposed): Interposed {
  const seconds = (own: number): number => Math.ceil(own / FASTER);
  // A receive may not last longer than the worker waits for it.
  const waited = (own: number): number => Math.floor(own / FASTER);
  return (call, ask) =>
    interposed(call, (input = call.input) => {
      const { VisibilityTimeout, WaitTimeSeconds, Entries } = input;
      return ask({
        ...input,
        ...(VisibilityTimeout !== undefined && { VisibilityTimeout: seconds(VisibilityTimeout) }),
        ...(WaitTimeSeconds !== undefined && { WaitTimeSeconds: waited(WaitTimeSeconds) }),
        ...(Entries !== undefined && {
          Entries: Entries.map((entry) =>
            entry.VisibilityTimeout === undefined
              ? entry
              : { ...entry, VisibilityTimeout: seconds(entry.VisibilityTimeout) },
          ),
        }),
      });
    });
}

/** A promise that a test resolves. */
export function latch(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}
