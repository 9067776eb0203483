import {
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  type TextMapGetter,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import type { ObservedRecord } from '../observe/observed.ts';

/**
 * Returns the producer's span: from the propagator, else from `traceparent`, else from X-Ray's header, which
 * SQS carries as `AWSTraceHeader`. Senders choose these values, so nothing else is used, such as baggage.
 */
export function producerOf(record: ObservedRecord, propagator: Extractor): SpanContext | undefined {
  const found = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, record, headers));
  if (found !== undefined && isSpanContextValid(found)) return found;
  return fromTraceparent(record.headerOf('traceparent')) ?? fromXRay(record.headerOf('x-amzn-trace-id'));
}

export type Extractor = Pick<TextMapPropagator, 'extract'>;

const headers: TextMapGetter<ObservedRecord> = {
  get: (record, name) => record.headerOf(name),
  keys: () => [],
};

/** https://www.w3.org/TR/trace-context/#traceparent-header; of later versions the beginning. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

function fromTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === '00' && rest !== undefined) return undefined;
  return validOf(traceId, spanId, Number.parseInt(flags, 16) & 1);
}

/** Parses `Root=1-<8 hex digits of time>-<24 hex digits>;Parent=<16 hex digits>;Sampled=1`. */
function fromXRay(header: string | undefined): SpanContext | undefined {
  const fields = new Map<string, string>();
  for (const field of (header ?? '').split(';', 16)) {
    const [name = '', value = ''] = field.trim().split('=', 2);
    fields.set(name, value);
  }
  const [, time = '', unique = ''] = /^1-([\da-f]{8})-([\da-f]{24})$/.exec(fields.get('Root') ?? '') ?? [];
  return validOf(`${time}${unique}`, fields.get('Parent') ?? '', fields.get('Sampled') === '1' ? 1 : 0);
}

function validOf(traceId: string, spanId: string, traceFlags: number): SpanContext | undefined {
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}
