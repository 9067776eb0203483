import { subscribe } from 'node:diagnostics_channel';
import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { REQUEST_CHANNEL, type RequestEnd, type RequestMessage } from '../aws/request-watch.ts';
import { toStoredError } from '../claims/claim.ts';
import { errorTypeOf } from './messaging-attributes.ts';
import { describeRequest } from './request-attributes.ts';

/** The records that a request serves, as one invocation knows their spans. */
export interface Served {
  readonly recordIds: readonly string[];
  /** Calls `link` with the span of a record, now or when it begins; not at all where the invocation ends without one. */
  linkTo(recordId: string, link: RecordLink): void;
}

/** Who waits for the span of a record. */
export interface RecordLink {
  begun(span: Span): void;
  /** The invocation has ended. */
  givenUp(): void;
}

const SERVED = createContextKey('batchlatch: the records that a request serves');
const TRACER = createContextKey('batchlatch: the tracer of an invocation');
/** The key by which OpenTelemetry's SDK knows that nothing below is traced: the request has its span. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The context of a request that serves these records too. The first invocation of those that share it is its parent. */
export function contextServing(served: Served, batch: Context): Context {
  const outer = context.active();
  const others = outer.getValue(SERVED) as readonly Served[] | undefined;
  return (others === undefined ? batch : outer).setValue(SERVED, [...(others ?? []), served]);
}

/** A context whose requests are traced by this tracer. */
export function contextTracedBy(tracer: Tracer, outer: Context): Context {
  return outer.setValue(TRACER, tracer);
}

/** Undefined until an observer has asked for spans. Requests outside of invocations, such as the worker's, are traced by it. */
let firstTracer: Tracer | undefined;

/** From now on, each request without AWS's SDK is a span. One request has one, however many observers there are. */
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
  const requestSpan = new RequestSpan(span, (parent.getValue(SERVED) as readonly Served[] | undefined) ?? []);
  const inside = trace.setSpan(parent, span).setValue(SUPPRESSED, true);
  request.follow({
    // Without a tracer provider there is no span, and the request is left to others.
    hasSpan: isSpanContextValid(span.spanContext()),
    run: (send) => context.with(inside, send),
    ended: (end) => requestSpan.ended(end),
  });
}

/** The span of one request. It ends with the time of the request, once it is linked to all records that it serves. */
class RequestSpan {
  readonly #span: Span;
  #unlinked = 0;
  #endedAt: Date | undefined;

  constructor(span: Span, all: readonly Served[]) {
    this.#span = span;
    for (const { recordIds, linkTo } of all) {
      for (const recordId of recordIds) {
        this.#unlinked += 1;
        linkTo(recordId, {
          begun: (record) => {
            span.addLink({ context: record.spanContext() });
            this.#linked();
          },
          givenUp: () => this.#linked(),
        });
      }
    }
  }

  ended({ attempts, status, requestId, error }: RequestEnd): void {
    const span = this.#span;
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (requestId !== undefined) span.setAttribute('aws.request_id', requestId);
    if (attempts > 1) span.setAttribute('http.request.resend_count', attempts - 1);
    if (error !== undefined) {
      span.setAttribute('error.type', errorTypeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR, message: toStoredError(error).message });
    }
    this.#endedAt = new Date();
    this.#endIfDone();
  }

  #linked(): void {
    this.#unlinked -= 1;
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#endedAt !== undefined && this.#unlinked === 0) this.#span.end(this.#endedAt);
  }
}
