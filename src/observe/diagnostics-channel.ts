import { type Channel, channel } from 'node:diagnostics_channel';
import type { BatchEvent, ObservedAttempt, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** What is published on each channel. Keys are as they are, not hashed: what is published stays in the process. */
export interface DiagnosticsMessages {
  /** An invocation begins. */
  readonly 'batchlatch:invocation': {
    /** The invocation that begins. */
    readonly invocation: ObservedInvocation;
  };
  /** One event. */
  readonly 'batchlatch:event': {
    /** What happened. */
    readonly event: BatchEvent;
    /**
     * The invocation that it belongs to; absent where there is none.
     */
    readonly invocation?: ObservedInvocation;
  };
  /** A record has its outcome. */
  readonly 'batchlatch:outcome': {
    /** Identifies the record to its sender. */
    readonly recordId: string;
    /** The `status` of a `RecordOutcome`. */
    readonly outcome: string;
    /** The invocation that it belongs to. */
    readonly invocation: ObservedInvocation;
  };
  /** The handler is called. Stores that are bound to the channel (`bindStore`) hold while it runs. */
  readonly 'batchlatch:handler': {
    /** The attempts whose handler is called; of `forBatches` many. */
    readonly attempts: readonly ObservedAttempt[];
    /** The invocation that they belong to. */
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
