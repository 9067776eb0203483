import { type Channel, channel } from 'node:diagnostics_channel';
import type { BatchEvent, ObservedAttempt, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** The messages of each channel. Keys are not hashed: messages stay in the process. */
export interface DiagnosticsMessages {
  /** Published when an invocation begins. */
  readonly 'batchlatch:invocation': {
    /** The invocation. */
    readonly invocation: ObservedInvocation;
  };
  /** Published for each event. */
  readonly 'batchlatch:event': {
    /** The event. */
    readonly event: BatchEvent;
    /** The invocation that it belongs to; absent if there is none. */
    readonly invocation?: ObservedInvocation;
  };
  /** Published when the outcome of a record is known. */
  readonly 'batchlatch:outcome': {
    /** Identifies the record to its sender. */
    readonly recordId: string;
    /** The `status` of a `RecordOutcome`. */
    readonly outcome: string;
    /** The invocation that it belongs to. */
    readonly invocation: ObservedInvocation;
  };
  /** Published around each call of the handler, inside which bound stores (`bindStore`) are active. */
  readonly 'batchlatch:handler': {
    /** The attempts whose handler is called; many with `forBatches`. */
    readonly attempts: readonly ObservedAttempt[];
    /** The invocation that they belong to. */
    readonly invocation: ObservedInvocation;
  };
}

/**
 * Returns an observer that publishes to channels of `node:diagnostics_channel`: `batchlatch:invocation`,
 * `batchlatch:event`, `batchlatch:outcome` and `batchlatch:handler` (`DiagnosticsMessages`). Without
 * subscribers it creates no messages. As on every channel, Node ends the process if a subscriber throws.
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
