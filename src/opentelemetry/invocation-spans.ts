import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { keyHash } from '../base/key-hash.ts';
import type { BatchEvent, ObservedAttempt } from '../observe/observer.ts';
import type { ObservedInvocation } from '../observe/observed.ts';
import { MESSAGE_TYPE, messagingAttributes, PROCESS } from './messaging-attributes.ts';
import { type Extractor, producerOf } from './producer-context.ts';
import { RecordSpan } from './record-span.ts';
import { contextServing, contextTracedBy, type RecordLink } from './request-spans.ts';

export interface SpanSettings {
  readonly tracer: Tracer;
  readonly producer: 'link' | 'parent';
  readonly propagator: () => Extractor;
}

/** The spans of one invocation: the batch and, inside it, the records. */
export class InvocationSpans {
  readonly #settings: SpanSettings;
  readonly #invocation: ObservedInvocation;
  readonly #name: string;
  readonly #attributes: Attributes;
  readonly #batch: Span;
  readonly #context: Context;
  #isOver = false;
  /** Record spans without an outcome, by record ID. */
  readonly #open = new Map<string, RecordSpan>();
  /** Requests for records without a span yet, by record ID. */
  readonly #waiting = new Map<string, RecordLink[]>();
  /** Errors of records without an outcome, by record ID. */
  readonly #failures = new Map<string, { readonly error: unknown; readonly key: string }>();

  constructor(invocation: ObservedInvocation, settings: SpanSettings) {
    this.#settings = settings;
    this.#invocation = invocation;
    this.#name = invocation.destination ?? invocation.source;
    this.#attributes = messagingAttributes(invocation);
    const attributes = {
      ...this.#attributes,
      'messaging.operation.name': 'batch',
      'messaging.batch.message_count': invocation.records,
      ...(invocation.requestId !== undefined && { 'faas.invocation_id': invocation.requestId }),
    };
    const outer = context.active();
    this.#batch = settings.tracer.startSpan(`batch ${this.#name}`, { attributes }, outer);
    this.#context = contextTracedBy(settings.tracer, trace.setSpan(outer, this.#batch));
  }

  note(event: BatchEvent): void {
    const now = new Date();
    if (event.type === 'batchFinished') this.#end(now);
    else if (event.type === 'settling') {
      for (const { recordId, end } of event.ends) this.#open.get(recordId)?.noteSettling(end, now);
    } else if (event.type === 'settleDelayed') this.#batch.addEvent(event.type, undefined, now);
    else this.#noteOfRecord(event, now);
  }

  /** Calls `run` inside the run span of the only attempt, or inside the batch's span if there are several. */
  around(attempts: readonly ObservedAttempt[], run: () => void): void {
    const [first] = attempts;
    const record = attempts.length === 1 && first !== undefined ? this.#open.get(first.recordId) : undefined;
    context.with(record?.runContext ?? this.#context, run);
  }

  inside(run: () => void): void {
    context.with(this.#context, run);
  }

  /** Calls `send` with its requests as children of the batch's span, linked to these records. */
  aroundRequest(recordIds: readonly string[], send: () => void): void {
    const served = {
      recordIds,
      linkTo: (recordId: string, link: RecordLink): void => {
        const record = this.#open.get(recordId);
        if (record !== undefined || this.#isOver) link(record?.span);
        else this.#waiting.set(recordId, [...(this.#waiting.get(recordId) ?? []), link]);
      },
    };
    context.with(contextServing(served, this.#context), send);
  }

  noteOutcome(recordId: string, outcome: string): void {
    const now = new Date();
    const record = this.#open.get(recordId) ?? this.#begin(recordId, undefined, now);
    this.#open.delete(recordId);
    record.end(outcome, this.#failures.get(recordId), now);
    this.#failures.delete(recordId);
  }

  #noteOfRecord(
    event: Exclude<BatchEvent, { type: 'settling' | 'settleDelayed' | 'batchFinished' }>,
    now: Date,
  ): void {
    const { recordId } = event;
    const key = 'key' in event ? event.key : '';
    // A record without a claim has no `claimed` event.
    if ((event.type === 'claimed' || event.type === 'started') && !this.#open.has(recordId)) {
      const askedMs = event.type === 'claimed' ? event.durationMs : 0;
      this.#open.set(recordId, this.#begin(recordId, key, new Date(now.getTime() - askedMs)));
    }
    const isDone = event.type === 'deadLetterFailed' || event.type === 'visibilityNotChanged';
    if ('error' in event && !isDone) this.#failures.set(recordId, { error: event.error, key });
    const record = this.#open.get(recordId);
    if (record !== undefined) record.note(event, now);
    // Events after the outcome, such as those of the dead-letter queue.
    else if (isDone || event.type === 'deadLettered' || event.type === 'stuck') {
      this.#batch.addEvent(event.type, { 'messaging.message.id': recordId }, now);
    }
  }

  #begin(recordId: string, key: string | undefined, startTime: Date): RecordSpan {
    const { tracer, producer, propagator } = this.#settings;
    const observed = this.#invocation.recordOf(recordId);
    const sender = observed && producerOf(observed, propagator());
    const parent = producer === 'parent' && sender ? trace.setSpanContext(ROOT_CONTEXT, sender) : undefined;
    const linked = parent === undefined ? sender : this.#batch.spanContext();
    const links: Link[] = linked === undefined ? [] : [{ context: linked }];
    const attributes = {
      ...this.#attributes,
      ...PROCESS,
      'messaging.message.id': recordId,
      ...(observed?.destination !== undefined && { 'messaging.destination.name': observed.destination }),
      ...(observed?.type !== undefined && { [MESSAGE_TYPE]: observed.type }),
      ...(key !== undefined && { 'batchlatch.key_hash': keyHash(key) }),
    };
    const name = `process ${observed?.destination ?? this.#name}`;
    const around = parent ?? this.#context;
    const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, links, startTime }, around);
    for (const link of this.#waiting.get(recordId) ?? []) link(span);
    this.#waiting.delete(recordId);
    return new RecordSpan(span, tracer, around);
  }

  #end(now: Date): void {
    for (const [recordId, record] of this.#open) record.end('unfinished', this.#failures.get(recordId), now);
    this.#open.clear();
    this.#isOver = true;
    for (const links of this.#waiting.values()) for (const link of links) link(undefined);
    this.#waiting.clear();
    this.#batch.end(now);
  }
}
