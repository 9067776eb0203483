import { objectWith } from '../options/check-options.ts';
import { ConfigurationError } from '../base/errors.ts';
import type { BatchEvent, ObservedAttempt, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';
import { callOnceIn, harmless } from './tell-observer.ts';

/**
 * Combines several observers into one. Each gets all calls, in the given order; one that throws or rejects
 * affects neither the others nor a record. Their `around…` methods are nested, the first one outermost.
 * Throws a `ConfigurationError` if an argument is not an observer.
 *
 * @param all The observers, in the order of their calls.
 *
 * @example
 * createBatchProcessor(handler, { observer: observers(jsonLines(), emfMetrics()) });
 */
export function observers(...all: readonly Observer[]): Observer {
  const check = objectWith('onEvent');
  const wrong = all.findIndex((one) => !check.accepts(one));
  if (wrong !== -1) {
    throw new ConfigurationError(`observers: Expected argument ${wrong + 1} to be ${check.expected}`);
  }
  const ofInvocations = all.filter(({ onInvocation }) => onInvocation !== undefined);
  const ofOutcomes = all.filter(({ onOutcome }) => onOutcome !== undefined);
  const wrappers = all.filter(({ aroundHandler }) => aroundHandler !== undefined);
  const aroundInvocations = all.filter(({ aroundInvocation }) => aroundInvocation !== undefined);
  const aroundRequests = all.filter(({ aroundRequest }) => aroundRequest !== undefined);
  return {
    onEvent(event, invocation) {
      for (const one of all) harmless(() => one.onEvent(event, invocation));
    },
    // Events that no observer wants must cost nothing.
    ...(all.every(({ wants }) => wants !== undefined) && {
      wants: (type: BatchEvent['type']) => all.some((one) => one.wants?.(type)),
    }),
    ...(ofInvocations.length > 0 && {
      onInvocation(invocation: ObservedInvocation) {
        for (const one of ofInvocations) harmless(() => one.onInvocation?.(invocation));
      },
    }),
    ...(ofOutcomes.length > 0 && {
      onOutcome(recordId: string, outcome: string, invocation: ObservedInvocation) {
        for (const one of ofOutcomes) harmless(() => one.onOutcome?.(recordId, outcome, invocation));
      },
    }),
    ...(aroundInvocations.length > 0 && {
      aroundInvocation(invocation: ObservedInvocation, run: () => void) {
        nested(aroundInvocations, (one, once) => one.aroundInvocation?.(invocation, once), run);
      },
    }),
    ...(aroundRequests.length > 0 && {
      aroundRequest(recordIds: readonly string[], invocation: ObservedInvocation, send: () => void) {
        nested(aroundRequests, (one, once) => one.aroundRequest?.(recordIds, invocation, once), send);
      },
    }),
    ...(wrappers.length > 0 && {
      aroundHandler(attempts: readonly ObservedAttempt[], invocation: ObservedInvocation, run: () => void) {
        nested(wrappers, (one, once) => one.aroundHandler?.(attempts, invocation, once), run);
      },
    }),
  };
}

/** Calls `run` inside the `around…` methods of all observers, the first one outermost. */
function nested(
  all: readonly Observer[],
  around: (one: Observer, once: () => void) => unknown,
  run: () => void,
): void {
  all.reduceRight((inner, one) => () => callOnceIn((once) => around(one, once), inner), run)();
}
