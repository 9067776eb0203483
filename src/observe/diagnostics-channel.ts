import { type Channel, channel } from 'node:diagnostics_channel';
import type { BatchEvent, ObservedAttempt, ObservedInvocation, Observer } from './observer.ts';

/** What is published on each channel. Keys are as they are, not hashed: what is published stays in the process. */
export interface DiagnosticsMessages {
  /** An invocation begins. */
  readonly 'batchlatch:invocation': { readonly invocation: ObservedInvocation };
  /** One event. */
  readonly 'batchlatch:event': { readonly event: BatchEvent; readonly invocation?: ObservedInvocation };
  /** A record has its outcome. */
  readonly 'batchlatch:outcome': {
    readonly recordId: string;
    readonly outcome: string;
    readonly invocation: ObservedInvocation;
  };
  /** The handler is called. Stores that are bound to the channel (`bindStore`) hold while it runs. */
  readonly 'batchlatch:handler': {
    readonly attempts: readonly ObservedAttempt[];
    readonly invocation: ObservedInvocation;
  };
}

/**
 * Publishes on channels of `node:diagnostics_channel`: `batchlatch:invocation`, `batchlatch:event`, `batchlatch:outcome` and
 * `batchlatch:handler` (`DiagnosticsMessages`). Where nobody subscribes, it makes nothing. Node ends the process for a
 * subscriber that throws, as on every channel.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel';
 *
 * subscribe('batchlatch:event', (message) => console.log(message));
 */
export function diagnosticsChannel(): Observer {
  const invocations = channel('batchlatch:invocation');
  const events = channel('batchlatch:event');
  const outcomes = channel('batchlatch:outcome');
  const handlers: Channel = channel('batchlatch:handler');
  return {
    onInvocation(invocation) {
      if (invocations.hasSubscribers) invocations.publish({ invocation });
    },
    onEvent(event, invocation) {
      if (events.hasSubscribers) events.publish({ event, ...(invocation && { invocation }) });
    },
    onOutcome(recordId, outcome, invocation) {
      if (outcomes.hasSubscribers) outcomes.publish({ recordId, outcome, invocation });
    },
    aroundHandler(attempts, invocation, run) {
      if (handlers.hasSubscribers) handlers.runStores({ attempts, invocation }, run);
      else run();
    },
  };
}
