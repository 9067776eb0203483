import type { SQSClient } from '@aws-sdk/client-sqs';
import { ConfigurationError } from '../../tool-base/errors.ts';
import type { RunningFunctions } from '../functions/running-functions.ts';
import type { OnDevEvent } from '../report/dev-event.ts';
import type { DevFunction, DevStack, SqsTrigger } from '../stack.ts';
import { batchLimits, type SqsMapping, startSqsMapping } from './sqs-mapping.ts';
import { sdkQueue } from './sqs-sdk-queue.ts';

interface QueueMappingsOptions {
  readonly sqs: SQSClient;
  readonly stack: DevStack;
  readonly functions: RunningFunctions;
  readonly onEvent: OnDevEvent;
}

/** The mappings of queues. They start after the function's first build, so that no receives are used up. */
export class QueueMappings {
  readonly #options: QueueMappingsOptions;
  readonly #mappings: SqsMapping[] = [];
  #isStopped = false;

  /** Throws a `ConfigurationError` for a batch size or window that AWS refuses. */
  constructor(options: QueueMappingsOptions) {
    this.#options = options;
    for (const { triggers } of options.stack.functions) {
      for (const trigger of triggers) if (trigger.kind === 'sqs') checkLimits(trigger);
    }
  }

  /** Starts the mappings of a function after its first build. */
  async start({ id, triggers }: DevFunction): Promise<void> {
    await this.#options.functions.built(id);
    for (const trigger of triggers) {
      if (trigger.kind === 'sqs' && trigger.isEnabled && !this.#isStopped) this.#map(id, trigger);
    }
  }

  /** Stops receiving, and resolves when the batches in flight have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#mappings.map((mapping) => mapping.stop()));
  }

  #map(functionId: string, trigger: SqsTrigger): void {
    const { sqs, stack, functions, onEvent } = this.#options;
    const queue = stack.queues.find(({ arn }) => arn === trigger.queueArn);
    if (queue === undefined) return; // reading the template has noted it
    this.#mappings.push(
      startSqsMapping({
        ...trigger,
        queue: sdkQueue(sqs, queue.url),
        invoke: (event) => functions.invoke(functionId, event),
        onTrouble: (error) => onEvent({ type: 'trouble', what: `the queue ${queue.id}`, error }),
      }),
    );
  }
}

function checkLimits(trigger: SqsTrigger): void {
  try {
    batchLimits(trigger);
  } catch (error) {
    throw new ConfigurationError(`${trigger.id}: ${(error as Error).message}`);
  }
}
