import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type BatchProcessorOptions, createBatchProcessor, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import type { Worker, WorkerOptions } from 'batchlatch/worker';
import pLimit from 'p-limit';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { sdkSend } from '../../../src/worker/sdk-send.ts';
import { QueueWorker } from '../../../src/worker/queue-worker.ts';
import { sendFromEnvironment } from '../../../src/worker/send-from-environment.ts';
import type { SendToSqs } from '../../../src/worker/direct-send.ts';
import { sqsQueue } from '../../../src/worker/sqs-queue.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../../test/support/components/describe-with.ts';
import { componentNamed } from '../../../test/support/components/index.ts';
import { type FastClock, fastClock } from '../../../test/support/fast-clock.ts';
import { transports, type TransportName } from '../../../test/support/transports.ts';
import { atPace, type SqsInterposed, type SqsProxy, startSqsProxy } from '../../../test/support/sqs-proxy.ts';
import { createQueue, type Queue, type QueueOptions } from './create-queue.ts';
import { sendMessages } from './send-messages.ts';
import { startComponent } from './start-component.ts';

/** What a second is for the queue is a quarter of a minute for the worker: a minute invisible is four seconds. */
export const FASTER = 15;
export const VISIBLE_AFTER_MS = 60_000 / FASTER;

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
  interpose(interposed: SqsInterposed): void;
  /** Bodies of all that anybody could receive now, hidden for a second. */
  visible(): Promise<string[]>;
  /** How many messages are in the queue, visible or not. */
  depth(queueUrl?: string): Promise<number>;
}

interface StartOptions<Body> extends Partial<WorkerOptions> {
  readonly processor?: BatchProcessorOptions<Body>;
}

export type Scenario = (bench: WorkerBench) => Promise<void>;

/** Of scenarios: much of what they do is to wait. */
const AT_ONCE = 3;

/** Tests that run on all queue services, on each with a client of the SDK or without, in turn; several at the same time, each on queues of its own. */
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
          await Promise.all(
            services.map((service, at) => {
              const transport = transports[(index + at) % transports.length] ?? 'direct';
              return runOn({ service, transport, queue }, run);
            }),
          );
        });
        test(name, () => results[index - 1]);
      });
    });
  });
}

async function runOn(ground: Ground, run: Scenario): Promise<void> {
  const endings: (() => unknown)[] = [];
  try {
    await run(await benchOn(ground, (end) => endings.push(end)));
  } catch (error) {
    const { service, transport } = ground;
    throw new Error(`On ${service.name}, ${transport}: ${String(error)}`, { cause: error });
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

/** Where a scenario runs. */
interface Ground {
  readonly service: LocalService;
  readonly transport: TransportName;
  readonly queue: Partial<QueueOptions>;
}

async function benchOn(
  { service, transport, queue: options }: Ground,
  defer: (end: () => unknown) => void,
): Promise<WorkerBench> {
  const proxy = await startSqsProxy(service.endpoint);
  defer(proxy.stop);
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: service.endpoint });
  const client = new SQS({ ...emulatorClientConfig, endpoint: proxy.endpoint });
  defer(() => [sqs, client].forEach((one) => one.destroy()));
  const clock = fastClock(FASTER);
  const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 30, ...options });
  const interpose: WorkerBench['interpose'] = (interposed) => proxy.interpose(atPace(FASTER, interposed));
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
      const queueUrl = proxy.through(queue.queueUrl);
      const own: WorkerOptions = {
        queueUrl,
        clock,
        handler: createBatchProcessor(handler, {
          store,
          clock,
          observer: { onEvent: () => undefined },
          ...processor,
        }),
        shutdownTimeoutMs: 1_000 * FASTER,
        waitTimeSeconds: 1,
        ...more,
      };
      // As createWorker() makes it, but for its requests, which take the time that they take.
      const worker = new QueueWorker(own, sqsQueue(sendBy(transport, queueUrl, client), queueUrl));
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

function sendBy(transport: TransportName, queueUrl: string, client: SQS): SendToSqs {
  return transport === 'sdk'
    ? sdkSend(client, systemClock)
    : sendFromEnvironment(queueUrl, { clock: systemClock, random: Math.random });
}

/** A promise that a test resolves. */
export function latch(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}
