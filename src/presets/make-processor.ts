import { builtIn } from '../base/built-in.ts';
import { sqsWithMethods } from '../aws/sdk/command-client.ts';
import type { RoutingPolicy } from '../batch/context.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { Handler } from '../batch/run.ts';
import { createProcessor } from '../batch/create-processor.ts';
import { type Defaults, settingsOf } from '../batch/settings-of.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { systemClock } from '../base/clock.ts';
import { engineStore } from '../claims/engine-store.ts';
import type { Observer } from '../observe/observer.ts';
import { assertFunction } from '../options/check-options.ts';
import { SQS_OPERATIONS, type SqsClient } from '../queues/sqs-client.ts';
import type { BatchProcessor } from './processor-types.ts';

const { randomBytes } = builtIn('node:crypto');

/** Checks the options at once and returns the function that creates the processor for a store. */
export function makeProcessor<Body>(
  handler: Handler,
  options: BatchProcessorOptions<Body>,
  defaults: Defaults & { readonly observer: () => Observer },
): (store: ClaimStore) => BatchProcessor {
  const { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL, AWS_LAMBDA_FUNCTION_NAME } = process.env;
  const sqsEndpoint = AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL || undefined;
  const routing = isRouting(handler) ? handler : undefined;
  const settings = settingsOf(options, { ...defaults, sqsEndpoint, routing });
  const { clock = systemClock, observer = defaults.observer(), sqs } = options;
  return (store) => {
    const ports = {
      store: engineStore(store, clock),
      clock,
      observer,
      sqs: sqs && sqsWithMethods<SqsClient>(sqs, SQS_OPERATIONS),
      random: Math.random,
      newOwner: newInvocation,
    };
    // The type of the response depends on the event's source.
    return createProcessor(handler, settings, ports, AWS_LAMBDA_FUNCTION_NAME, store) as BatchProcessor;
  };
}

/** Returns a token that no other invocation has; shorter than a UUID, as every row and request has it. */
function newInvocation(): string {
  return randomBytes(12).toString('base64url');
}

/** Throws a `ConfigurationError` if the handler is neither a function nor the value of `routes()`. */
export function assertHandler(what: string, handler: unknown): void {
  if (!isRouting(handler)) assertFunction(what, handler);
}

function isRouting(handler: unknown): handler is RoutingPolicy {
  return (handler as Partial<RoutingPolicy> | undefined)?.option === 'routes';
}
