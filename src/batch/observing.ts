import type { BatchEvent, ObservedAttempt, Observer } from '../observe/observer.ts';
import type { ObservedInvocation } from '../observe/observed.ts';
import type { RoutineEvents } from '../attempts/scope.ts';
import { callAround, callOnceIn, harmless } from '../observe/tell-observer.ts';

/** What one invocation tells its observer, which can harm none of it. */
export interface Observing {
  readonly notify: (event: BatchEvent) => void;
  readonly wants: RoutineEvents;
  /** Undefined: the observer does not want to know. */
  readonly noteOutcome: ((recordId: string, outcome: string) => void) | undefined;
  /** Calls `run`, which must not throw, in the context that the observer gives the invocation. */
  readonly inside: (run: () => void) => void;
  /** The same for a request to the store that serves these records. Undefined: the observer puts nothing around it. */
  readonly aroundRequest: ((recordIds: readonly string[], send: () => void) => void) | undefined;
  /** Calls the handler, and returns or throws what it does. Undefined: the observer puts nothing around it. */
  readonly around: AroundHandler | undefined;
}

export type AroundHandler = (attempts: readonly ObservedAttempt[], handler: () => unknown) => unknown;

export function observing(observer: Observer, invocation: ObservedInvocation): Observing {
  harmless(() => observer.onInvocation?.(invocation));
  return {
    notify(event) {
      // Not by `harmless`: there are thousands of events.
      try {
        // An asynchronous observer fits the type too, and its rejection, unheard, would end the process.
        const returned: unknown = observer.onEvent(event, invocation);
        if (returned instanceof Promise) returned.catch(() => undefined);
      } catch {
        // An error of the observer must not change what happens.
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

/** An observer that cannot say is told. */
function wants(observer: Observer, type: BatchEvent['type']): boolean {
  try {
    return observer.wants?.(type) !== false;
  } catch {
    return true;
  }
}

/** Whatever the observer does, the handler is called once, and its own end is what counts. */
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
