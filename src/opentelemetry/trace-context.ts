import { context, isSpanContextValid, trace } from '@opentelemetry/api';
import type { TraceHeaders } from '../messages/trace-headers.ts';

/**
 * Returns the function for `trace` of `createSender()`: it gives the W3C trace context of the active span, so
 * that the consumer's spans continue the trace. Nothing else travels, such as baggage.
 *
 * @example
 * const sender = createSender(orders, { queueUrl }, { trace: traceContext() });
 */
export function traceContext(): () => TraceHeaders {
  return () => {
    const span = trace.getSpanContext(context.active());
    if (span === undefined || !isSpanContextValid(span)) return {};
    const flags = span.traceFlags.toString(16).padStart(2, '0');
    const tracestate = span.traceState?.serialize();
    return {
      traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
      ...(tracestate && { tracestate }),
    };
  };
}
