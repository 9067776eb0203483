import {
  type Attributes,
  type Context,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { BatchEvent } from '../observe/observer.ts';
import { markFailed } from './messaging-attributes.ts';

/** Outcomes that mark a record's span as failed. */
const FAILURES: ReadonlySet<string> = new Set([
  'failed',
  'parked',
  'invalid',
  'mismatch',
  'lost',
  'unfinished',
]);

/** The span of one record, and its children: `claim`, `run` and `settle`. */
export class RecordSpan {
  readonly span: Span;
  readonly #tracer: Tracer;
  readonly #context: Context;
  #run: Span | undefined;
  #settle: Span | undefined;

  constructor(span: Span, tracer: Tracer, parent: Context) {
    this.span = span;
    this.#tracer = tracer;
    this.#context = trace.setSpan(parent, span);
  }

  /** The context in which the handler runs. */
  get runContext(): Context {
    return this.#run === undefined ? this.#context : trace.setSpan(this.#context, this.#run);
  }

  note(event: BatchEvent, now: Date): void {
    const { type } = event;
    if (type === 'claimed') {
      const startTime = new Date(now.getTime() - event.durationMs);
      this.#child('claim', { 'batchlatch.attempt': event.attempt }, startTime).end(now);
    } else if (type === 'started') {
      this.#endRun(now); // of another record with the same ID
      this.#run = this.#child('run', { 'batchlatch.attempt': event.attempt }, now);
    } else if (type === 'succeeded' || type === 'failed' || type === 'abandoned') {
      if (type !== 'succeeded' && this.#run !== undefined) markFailed(this.#run, event.error, event.key);
      this.#endRun(now);
    } else if (type === 'tookOver') {
      this.span.addEvent(type, { 'batchlatch.crashes': event.crashes }, now);
    } else if (type === 'stuck') {
      (this.#run ?? this.span).addEvent(type, { 'batchlatch.since_abort_ms': event.sinceAbortMs }, now);
    } else if (type === 'settleFailed' || type === 'leaseLost') {
      if (type === 'settleFailed' && this.#settle !== undefined)
        markFailed(this.#settle, event.error, event.key);
      if (type === 'leaseLost') {
        this.#settle?.setStatus({ code: SpanStatusCode.ERROR, message: "the claim is another owner's" });
      }
      this.#endSettle(now);
    }
  }

  noteSettling(end: string, now: Date): void {
    this.#endSettle(now);
    this.#settle = this.#child('settle', { 'batchlatch.end': end }, now);
  }

  end(
    outcome: string,
    failure: { readonly error: unknown; readonly key: string } | undefined,
    now: Date,
  ): void {
    this.#endRun(now);
    this.#endSettle(now);
    this.span.setAttribute('batchlatch.outcome', outcome);
    if (FAILURES.has(outcome)) {
      if (failure !== undefined) markFailed(this.span, failure.error, failure.key);
      else {
        this.span.setAttribute('error.type', outcome);
        this.span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
      }
    }
    this.span.end(now);
  }

  #child(name: string, attributes: Attributes, startTime: Date): Span {
    return this.#tracer.startSpan(name, { attributes, startTime }, this.#context);
  }

  #endRun(now: Date): void {
    this.#run?.end(now);
    this.#run = undefined;
  }

  #endSettle(now: Date): void {
    this.#settle?.end(now);
    this.#settle = undefined;
  }
}
