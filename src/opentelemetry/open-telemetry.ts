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

/** Options of `openTelemetry()`. */
export interface OpenTelemetryOptions {
  /** The provider of spans. Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** The provider of metrics. Default: the global one at the first invocation. */
  readonly meterProvider?: MeterProvider;
  /** Finds the producer's span. Default: the global one, then `traceparent`, then X-Ray's header. */
  readonly propagator?: TextMapPropagator;
  /**
   * How a record's span refers to its producer's. `link` (default): it is in the invocation's trace, with a
   * link to the producer's span. `parent`: it is a child of the producer's span, in the producer's trace,
   * with a link to the batch. Senders then choose the traces in which they appear, and whether these are
   * sampled.
   */
  readonly producer?: 'link' | 'parent';
}

/**
 * Returns an observer that creates spans and metrics by OpenTelemetry's semantic conventions for messaging.
 * Each batch has a span with a child for each record, which has the children `claim`, `run` and `settle`. The
 * handler runs inside `run`, a batch handler inside the batch's span. Requests to DynamoDB and SQS without
 * the AWS SDK are spans too.
 *
 * Keys are hashed; bodies, stacks and results are never recorded. Needs `@opentelemetry/api`. Throws a
 * `ConfigurationError` for invalid options.
 *
 * @param options The providers, and how records refer to their producers.
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
  // Created late: instruments created before the global meter provider is set stay without effect.
  let instruments: Instruments | undefined;
  /** Weak, so that an invocation that never finishes is collected. */
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
      if (its === undefined) return; // the invocation has finished
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
