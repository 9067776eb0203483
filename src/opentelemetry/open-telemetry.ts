import {
  type MeterProvider,
  metrics,
  propagation,
  type TextMapPropagator,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import type { Observer } from '../observe/observer.ts';
import type { ObservedInvocation } from '../observe/observed.ts';
import { checkOptionsOf, objectWith, oneOf } from '../options/check-options.ts';
import { Instruments } from './instruments.ts';
import { InvocationSpans } from './invocation-spans.ts';
import { traceRequests } from './request-spans.ts';

/** Where `openTelemetry()` sends spans and metrics, and how records are joined with what sent them. */
export interface OpenTelemetryOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global one, as it is when the first event comes. */
  readonly meterProvider?: MeterProvider;
  /** What finds the producer's span in a message's attributes. Default: the global one, then W3C's `traceparent`, then X-Ray's header. */
  readonly propagator?: TextMapPropagator;
  /**
   * `link` (default): a record's span is in the invocation's trace, and linked to the span of its producer. `parent`: it is a
   * child of the producer's span, in the producer's trace, and linked to the batch; whoever can send messages then
   * decides which traces they appear in, and whether they are sampled.
   */
  readonly producer?: 'link' | 'parent';
}

/**
 * Spans and metrics by OpenTelemetry's semantic conventions for messaging: a span for the batch, in it one for each record,
 * with `claim`, `run` and `settle` as its children. The handler runs inside `run`, so that its own spans are children of
 * that; a batch handler inside the batch's span. Requests to DynamoDB and SQS that are sent without AWS's SDK are spans too. Needs `@opentelemetry/api`. Keys are hashed, and bodies, stacks and
 * results are never in it. Throws a `ConfigurationError` for an option that is unknown or impossible.
 *
 * @param options Which providers it uses, and how records are joined with what sent them.
 *
 * @example
 * createBatchProcessor(handler, { observer: observers(jsonLines(), openTelemetry()) });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Observer {
  checkOptionsOf('openTelemetry', options, {
    tracerProvider: objectWith('getTracer'),
    meterProvider: objectWith('getMeter'),
    propagator: objectWith('extract'),
    producer: oneOf('link', 'parent'),
  });
  const { tracerProvider = trace, propagator, producer = 'link' } = options;
  const settings = {
    tracer: tracerProvider.getTracer('batchlatch'),
    producer,
    propagator: () => propagator ?? propagation,
  };
  // The global meter provider, unlike the global tracer provider, does not take over what was made before it was set.
  let instruments: Instruments | undefined;
  /** Weak: an invocation that never finishes must not stay. */
  const spans = new WeakMap<ObservedInvocation, InvocationSpans>();
  return {
    onInvocation(invocation) {
      instruments ??= new Instruments(options.meterProvider ?? metrics);
      instruments.noteInvocation(invocation);
      traceRequests(settings.tracer);
      spans.set(invocation, new InvocationSpans(invocation, settings));
    },
    onEvent(event, invocation) {
      const its = invocation && spans.get(invocation);
      if (its === undefined) return; // it has finished
      instruments?.note(event, invocation as ObservedInvocation);
      its.note(event);
      if (event.type === 'batchFinished') spans.delete(invocation as ObservedInvocation);
    },
    onOutcome(recordId, outcome, invocation) {
      spans.get(invocation)?.noteOutcome(recordId, outcome);
    },
    aroundInvocation(invocation, run) {
      spans.get(invocation)?.inside(run);
    },
    aroundRequest(recordIds, invocation, send) {
      spans.get(invocation)?.aroundRequest(recordIds, send);
    },
    aroundHandler(attempts, invocation, run) {
      const its = spans.get(invocation);
      if (its === undefined) run();
      else its.around(attempts, run);
    },
  };
}
