import { SQSClient } from '@aws-sdk/client-sqs';
import { Cleanup } from './emulators/cleanup.ts';
import { emulatorClientConfig } from './emulators/emulator-environment.ts';
import type { Esbuild } from './functions/function-build.ts';
import { type RunningFunctions, runFunctions } from './functions/running-functions.ts';
import { startSqsMapping } from './mappings/sqs-mapping.ts';
import { sdkQueue } from './mappings/sqs-sdk-queue.ts';
import { LOCAL_REGION, type Places } from './places.ts';
import type { OnDevEvent } from './report/dev-event.ts';
import { type Services, startServices } from './services/start-services.ts';
import type { DevFunction, DevStack, SqsTrigger } from './stack.ts';

export interface RunStackOptions {
  readonly stack: DevStack;
  /** Those that the stack was read with. */
  readonly places: Places;
  readonly esbuild: Esbuild;
  /** Takes what is built. The caller removes it. */
  readonly folder: string;
  /** Whether changed sources are built again. Default true. */
  readonly reloads?: boolean;
  readonly onEvent: OnDevEvent;
}

/** A template that runs on this machine. */
export interface RunningStack {
  readonly services: Services;
  readonly functions: RunningFunctions;
  /** Ends the invocations that run, and everything else. */
  stop(): Promise<void>;
}

/** Starts the services of a template and its functions, and invokes them as their sources say. */
export async function runStack(options: RunStackOptions): Promise<RunningStack> {
  const { stack, places, onEvent } = options;
  const cleanup = new Cleanup();
  try {
    const services = await startServices(stack, places);
    cleanup.defer(() => services.stop());
    const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: places.sqs });
    cleanup.defer(() => sqs.destroy());
    const functions = await runFunctions({
      functions: stack.functions,
      region: LOCAL_REGION,
      ...options,
    });
    const mappings = new Mappings(sqs, stack, functions, onEvent);
    // The batches in flight end with the processes.
    cleanup.defer(() => mappings.ended());
    cleanup.defer(() => functions.stop());
    cleanup.defer(() => mappings.stop());
    for (const fn of stack.functions) void mappings.start(fn);
    return { services, functions, stop: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** Of the queues. A function that has not been built yet is not invoked: its messages would use up their receives. */
class Mappings {
  readonly #sqs: SQSClient;
  readonly #stack: DevStack;
  readonly #functions: RunningFunctions;
  readonly #onEvent: OnDevEvent;
  readonly #ending: Promise<void>[] = [];
  readonly #stops: (() => Promise<void>)[] = [];
  #isStopped = false;

  constructor(sqs: SQSClient, stack: DevStack, functions: RunningFunctions, onEvent: OnDevEvent) {
    this.#sqs = sqs;
    this.#stack = stack;
    this.#functions = functions;
    this.#onEvent = onEvent;
  }

  async start({ id, triggers }: DevFunction): Promise<void> {
    await this.#functions.built(id);
    if (this.#isStopped) return;
    for (const trigger of triggers) if (trigger.kind === 'sqs' && trigger.isEnabled) this.#map(id, trigger);
  }

  /** Receives no more. */
  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) this.#ending.push(stop());
  }

  async ended(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #map(functionId: string, trigger: SqsTrigger): void {
    const queue = this.#stack.queues.find(({ arn }) => arn === trigger.queueArn);
    if (queue === undefined) return; // the reader has a note of it
    const mapping = startSqsMapping({
      ...trigger,
      queue: sdkQueue(this.#sqs, queue.url),
      invoke: (event) => this.#functions.invoke(functionId, event),
      onTrouble: (error) => this.#onEvent({ type: 'trouble', what: `the queue ${queue.id}`, error }),
    });
    this.#stops.push(() => mapping.stop());
  }
}
