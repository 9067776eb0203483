import { subscribe } from 'node:diagnostics_channel';
import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { REQUEST_CHANNEL, type RequestEnd, type RequestMessage } from '../aws/request-watch.ts';
import { markFailed } from './messaging-attributes.ts';
import { describeRequest } from './request-attributes.ts';

/** The records of one invocation that a request serves. */
export interface Served {
  readonly recordIds: readonly string[];
  /** Calls `link` with the span of a record, at once or when it begins. */
  linkTo(recordId: string, link: RecordLink): void;
}

/** A callback for the span of a record; undefined if the invocation ends without one. */
export type RecordLink = (span: Span | undefined) => void;

const SERVED = createContextKey('batchlatch: the records that a request serves');
const TRACER = createContextKey('batchlatch: the tracer of an invocation');
/** OpenTelemetry's key that suppresses further spans: this request already has one. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Returns the context of a request for these records. The first invocation that shares it is the parent. */
export function contextServing(served: Served, batch: Context): Context {
  const outer = context.active();
  const others = outer.getValue(SERVED) as readonly Served[] | undefined;
  return (others === undefined ? batch : outer).setValue(SERVED, [...(others ?? []), served]);
}

export function contextTracedBy(tracer: Tracer, outer: Context): Context {
  return outer.setValue(TRACER, tracer);
}

/** The tracer of requests outside invocations, such as the worker's; undefined until `traceRequests`. */
let firstTracer: Tracer | undefined;

/** Creates a span for each request without the AWS SDK. Subscribes once, however many observers there are. */
export function traceRequests(tracer: Tracer): void {
  if (firstTracer !== undefined) return;
  firstTracer = tracer;
  subscribe(REQUEST_CHANNEL, (message) => {
    try {
      follow(message as RequestMessage, tracer);
    } catch {
      // Node ends the process for a subscriber that throws.
    }
  });
}

function follow(request: RequestMessage, first: Tracer): void {
  const parent = context.active();
  const tracer = (parent.getValue(TRACER) as Tracer | undefined) ?? first;
  const { name, attributes } = describeRequest(request);
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  const served = (parent.getValue(SERVED) as readonly Served[] | undefined) ?? [];
  const inside = trace.setSpan(parent, span).setValue(SUPPRESSED, true);
  request.follow({
    // Without a tracer provider the span is invalid, and other subscribers handle the request.
    hasSpan: isSpanContextValid(span.spanContext()),
    run: (send) => context.with(inside, send),
    ended: endOnceLinked(span, served),
  });
}

/** Ends a span at the request's end, once it is linked to all records that the request serves. */
function endOnceLinked(span: Span, all: readonly Served[]): (end: RequestEnd) => void {
  let unlinked = 0;
  let endedAt: Date | undefined;
  const endIfDone = (): void => {
    if (endedAt !== undefined && unlinked === 0) span.end(endedAt);
  };
  for (const { recordIds, linkTo } of all) {
    for (const recordId of recordIds) {
      unlinked += 1;
      linkTo(recordId, (record) => {
        if (record !== undefined) span.addLink({ context: record.spanContext() });
        unlinked -= 1;
        endIfDone();
      });
    }
  }
  return ({ attempts, status, requestId, error }) => {
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (requestId !== undefined) span.setAttribute('aws.request_id', requestId);
    if (attempts > 1) span.setAttribute('http.request.resend_count', attempts - 1);
    if (error !== undefined) markFailed(span, error);
    endedAt = new Date();
    endIfDone();
  };
}
