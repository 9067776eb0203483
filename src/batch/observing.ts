import type { BatchEvent, ObservedAttempt, Observer } from '../observe/observer.ts';
import type { ObservedInvocation } from '../observe/observed.ts';
import type { RoutineEvents } from '../attempts/scope.ts';
import { callAround, callOnceIn, harmless } from '../observe/tell-observer.ts';

/** The calls that one invocation makes to its observer. An observer's errors change nothing. */
export interface Observing {
  readonly notify: (event: BatchEvent) => void;
  readonly wants: RoutineEvents;
  /** Undefined: the observer has no `onOutcome`. */
  readonly noteOutcome: ((recordId: string, outcome: string) => void) | undefined;
  /** Calls `run`, which must not throw, in the context that the observer gives the invocation. */
  readonly inside: (run: () => void) => void;
  /** Calls `send` in the context that the observer gives a request to the store. Undefined: it gives none. */
  readonly aroundRequest: ((recordIds: readonly string[], send: () => void) => void) | undefined;
  /** Calls the handler and returns or throws its result. Undefined: the observer adds no context. */
  readonly around: AroundHandler | undefined;
}

export type AroundHandler = (attempts: readonly ObservedAttempt[], handler: () => unknown) => unknown;

export function observing(observer: Observer, invocation: ObservedInvocation): Observing {
  harmless(() => observer.onInvocation?.(invocation));
  return {
    notify(event) {
      // Does not use `harmless`: there are thousands of events.
      try {
        // The type also fits an asynchronous observer. An unhandled rejection would end the process.
        const returned: unknown = observer.onEvent(event, invocation);
        if (returned instanceof Promise) returned.catch(() => undefined);
      } catch {
        // An observer's error must not change the batch.
      }
    },
    wants: {
      claimed: wants(observer, 'claimed'),
      started: wants(observer, 'started'),
      succeeded: wants(observer, 'succeeded'),
      settling: wants(observer, 'settling'),
    },
    noteOutcome:
      observer.onOutcome &&
      ((recordId, outcome) => harmless(() => observer.onOutcome?.(recordId, outcome, invocation))),
    inside: (run) => callOnceIn((once) => observer.aroundInvocation?.(invocation, once), run),
    aroundRequest:
      observer.aroundRequest &&
      ((recordIds, send) =>
        callOnceIn((once) => observer.aroundRequest?.(recordIds, invocation, once), send)),
    around: observer.aroundHandler && around(observer, invocation),
  };
}

/** Returns whether the observer wants events of this type. If `wants` is missing or throws, it does. */
function wants(observer: Observer, type: BatchEvent['type']): boolean {
  try {
    return observer.wants?.(type) !== false;
  } catch {
    return true;
  }
}

/** Calls the handler exactly once, and returns or throws its own result, whatever the observer does. */
function around(observer: Observer, invocation: ObservedInvocation): AroundHandler {
  return (attempts, handler) => {
    let returned: unknown;
    let failure: { readonly thrown: unknown } | undefined;
    callAround(observer, attempts, invocation, () => {
      try {
        returned = handler();
      } catch (thrown) {
        failure = { thrown };
      }
    });
    if (failure !== undefined) throw failure.thrown;
    return returned;
  };
}
