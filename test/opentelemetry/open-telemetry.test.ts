import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import {
  createBatchProcessor,
  type ObservedInvocation,
  PermanentError,
  type RecordHandler,
  runWithoutClaim,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { openTelemetry, type OpenTelemetryOptions } from 'batchlatch/opentelemetry';
import { eventBridgeEvent, kafkaEvent, snsEvent, sqsEvent } from 'batchlatch/testing';
import { type Bench, bench, deferred, failed, forever, messages } from '../batch/bench.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const XRAY_HEADER = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const users = tracerProvider.getTracer('users');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  exporter.reset();
  propagation.disable();
});
afterAll(() => context.disable());

interface Traced extends Bench {
  /** The spans that have ended, by their names. */
  named(name: string): ReadableSpan[];
}

function traced(options: OpenTelemetryOptions = {}): Traced {
  const b = bench();
  const observer = openTelemetry({ tracerProvider, ...options });
  const processor: Bench['processor'] = (handler, more) => b.processor(handler, { observer, ...more });
  return {
    ...b,
    processor,
    run: async (handler, ids, more) => failed(await processor(handler, more)(messages(...ids))),
    named: (name) => exporter.getFinishedSpans().filter((span) => span.name === name),
  };
}

function only(spans: readonly ReadableSpan[]): ReadableSpan {
  expect(spans).toHaveLength(1);
  return spans[0] as ReadableSpan;
}

const parentOf = ({ parentSpanContext }: ReadableSpan): string | undefined => parentSpanContext?.spanId;
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;

/** One message, changed by `change`. */
function sent(change: (record: SQSRecord) => void): SQSEvent {
  const event = messages('a');
  change(event.Records[0] as SQSRecord);
  return event;
}
const withAttribute = (name: string, stringValue: string): SQSEvent =>
  sent((record) => {
    record.messageAttributes[name] = { stringValue, dataType: 'String' };
  });

describe('The spans', () => {
  it('of a record are in that of its batch, and have claim, run and settle in them', async () => {
    const b = traced();
    const process = b.processor(() => 'done');
    const outer = users.startSpan('invocation');
    const its = trace.setSpan(context.active(), outer);
    await context.with(its, () => process(messages('a'), { ...b.lambda(60_000), awsRequestId: 'request-1' }));
    const batch = only(b.named('batch orders'));
    const record = only(b.named('process orders'));
    expect(parentOf(batch)).toBe(outer.spanContext().spanId);
    expect(parentOf(record)).toBe(idOf(batch));
    for (const name of ['claim', 'run', 'settle']) expect(parentOf(only(b.named(name)))).toBe(idOf(record));
    expect(batch.attributes).toEqual({
      'messaging.system': 'aws_sqs',
      'messaging.destination.name': 'orders',
      'messaging.operation.name': 'batch',
      'messaging.batch.message_count': 1,
      'faas.invocation_id': 'request-1',
    });
    expect(record.kind).toBe(SpanKind.CONSUMER);
    expect(record.attributes).toEqual({
      'messaging.system': 'aws_sqs',
      'messaging.destination.name': 'orders',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.message.id': 'a',
      'batchlatch.key_hash': expect.stringMatching(/^[\da-f]{16}$/),
      'batchlatch.outcome': 'completed',
    });
    expect(record.status.code).toBe(SpanStatusCode.UNSET);
    expect(only(b.named('settle')).attributes).toEqual({ 'batchlatch.end': 'complete' });
  });

  it('of the handler are in the run of its own record, also after it has waited', async () => {
    const b = traced();
    await b.run(
      async ({ id }) => {
        users.startSpan(`first of ${id}`).end();
        await new Promise((resolve) => setTimeout(resolve, 1));
        users.startSpan(`second of ${id}`).end();
      },
      ['a', 'b'],
    );
    for (const id of ['a', 'b']) {
      const record = only(
        b.named('process orders').filter(({ attributes }) => attributes['messaging.message.id'] === id),
      );
      const run = only(b.named('run').filter((span) => parentOf(span) === idOf(record)));
      expect(parentOf(only(b.named(`first of ${id}`)))).toBe(idOf(run));
      expect(parentOf(only(b.named(`second of ${id}`)))).toBe(idOf(run));
    }
  });

  it('of a batch handler are in that of the batch', async () => {
    const b = traced();
    const process = createBatchProcessor.forBatches(
      async () => {
        await Promise.resolve();
        users.startSpan('insert').end();
      },
      { store: memoryStore(), namespace: 'spans', observer: openTelemetry({ tracerProvider }) },
    );
    await process(messages('a', 'b'));
    expect(parentOf(only(b.named('insert')))).toBe(idOf(only(b.named('batch orders'))));
    expect(b.named('run')).toHaveLength(2);
  });

  it('of invocations that overlap and share requests are each in the trace of its caller', async () => {
    const b = traced();
    const end = deferred();
    const process = b.processor(async ({ id }) => {
      await end.promise;
      users.startSpan(`work of ${id}`).end();
    });
    const invocations = ['a', 'b'].map((id) => {
      const span = users.startSpan(`caller of ${id}`);
      const its = trace.setSpan(context.active(), span);
      return context.with(its, () => process(messages(id))).finally(() => span.end());
    });
    await b.clock.advance(10);
    end.resolve();
    await b.clock.advance(10);
    await Promise.all(invocations);
    for (const id of ['a', 'b']) {
      const { traceId } = only(b.named(`caller of ${id}`)).spanContext();
      const ofTrace = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
      expect(ofTrace.map(({ name }) => name).toSorted((x, y) => (x < y ? -1 : 1))).toEqual([
        'batch orders',
        `caller of ${id}`,
        'claim',
        'process orders',
        'run',
        'settle',
        `work of ${id}`,
      ]);
    }
  });

  it('say why a record failed, without a stack', async () => {
    const b = traced();
    const declined = Object.assign(new TypeError('declined'), { code: 'CARD_DECLINED', body: 'secret' });
    await b.run(() => Promise.reject(declined), ['a']);
    for (const name of ['run', 'process orders']) {
      const span = only(b.named(name));
      expect(span.attributes['error.type']).toBe('CARD_DECLINED');
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'declined' });
      expect(span.events).toEqual([]);
    }
    expect(only(b.named('process orders')).attributes['batchlatch.outcome']).toBe('failed');
    expect(only(b.named('settle')).status.code).toBe(SpanStatusCode.UNSET);
  });

  it.each<[string, (b: Traced) => Promise<unknown>, string, SpanStatusCode, string | undefined]>([
    [
      'is a duplicate',
      async (b) => {
        await b.run(() => 'done', ['a']);
        exporter.reset();
        await b.run(() => 'done', ['a']);
      },
      'duplicate',
      SpanStatusCode.UNSET,
      undefined,
    ],
    [
      'is claimed elsewhere',
      async (b) => {
        await b.occupy('a');
        await b.run(() => 'done', ['a']);
      },
      'conflict',
      SpanStatusCode.UNSET,
      undefined,
    ],
    [
      'is parked',
      (b) => b.run(() => Promise.reject(new PermanentError('no')), ['a']),
      'parked',
      SpanStatusCode.ERROR,
      'BATCHLATCH_PERMANENT',
    ],
    [
      'was parked before',
      async (b) => {
        await b.run(() => Promise.reject(new PermanentError('no')), ['a']);
        exporter.reset();
        await b.run(() => 'done', ['a']);
      },
      'parked',
      SpanStatusCode.ERROR,
      'BATCHLATCH_PERMANENT',
    ],
    [
      'the store says nothing of',
      (b) => {
        const acquire = (): Promise<never> =>
          Promise.reject(Object.assign(new Error('no'), { code: 'NO_TABLE' }));
        return b.run(() => 'done', ['a'], { store: { ...b.store, acquire } });
      },
      'failed',
      SpanStatusCode.ERROR,
      'NO_TABLE',
    ],
    [
      'cannot be read',
      (b) => b.processor(() => 'done')(sent((record) => Object.assign(record, { body: null }))),
      'invalid',
      SpanStatusCode.ERROR,
      'BATCHLATCH_MALFORMED_RECORD',
    ],
    [
      'lost its claim',
      async (b) => {
        const end = deferred();
        const answer = b.run(() => end.promise, ['a'], { leaseMs: 1_000 });
        await b.clock.advance(1_000);
        await b.occupy('a');
        end.resolve();
        await answer;
      },
      'lost',
      SpanStatusCode.ERROR,
      'lost',
    ],
    [
      'hangs until the time is over',
      async (b) => {
        const answer = b.processor(forever)(messages('a'), b.lambda(3_000));
        await b.clock.advance(3_000);
        await answer;
      },
      'failed',
      SpanStatusCode.ERROR,
      'BATCHLATCH_DEADLINE',
    ],
  ])('of a record that %s', async (_what, act, outcome, code, errorType) => {
    const b = traced();
    await act(b);
    const span = exporter.getFinishedSpans().find(({ name }) => name.startsWith('process '));
    expect(span?.attributes['batchlatch.outcome']).toBe(outcome);
    expect(span?.status.code).toBe(code);
    expect(span?.attributes['error.type']).toBe(errorType);
    expect(exporter.getFinishedSpans().filter(({ name }) => name.startsWith('batch '))).toHaveLength(1);
  });

  it('tell of an attempt that died, and of a claim that was put off', async () => {
    const b = traced();
    await b.die('a');
    await b.run(() => 'done', ['a']);
    expect(only(b.named('process orders')).events.map(({ name }) => name)).toEqual(['tookOver']);
    expect(b.named('claim')).toHaveLength(2);
    expect(b.named('settle').map(({ attributes }) => attributes['batchlatch.end'])).toEqual([
      'release',
      'complete',
    ]);
  });

  it('of a record that runs without a claim are around its handler too', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      acquire: () => Promise.reject(Object.assign(new Error('throttled'), { name: 'ThrottlingException' })),
    }));
    const observer = openTelemetry({ tracerProvider });
    const handler = (): void => users.startSpan('work').end();
    expect(await b.run(handler, ['a'], { observer, onStoreError: runWithoutClaim() })).toEqual([]);
    const spans = exporter.getFinishedSpans();
    const run = only(spans.filter(({ name }) => name === 'run'));
    expect(parentOf(only(spans.filter(({ name }) => name === 'work')))).toBe(idOf(run));
    const record = only(spans.filter(({ name }) => name === 'process orders'));
    expect(record.attributes['batchlatch.outcome']).toBe('completed');
    expect(record.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('of a record without an outcome end with the batch, and its late outcome begins none', () => {
    const observer = openTelemetry({ tracerProvider });
    const invocation: ObservedInvocation = {
      source: 'sqs',
      destination: 'orders',
      records: 1,
      fairGroups: [],
      recordOf: () => undefined,
      typeOf: () => undefined,
    };
    const claim = { recordId: 'a', key: 'orders#a', owner: 'one', attempt: 1 };
    observer.onInvocation?.(invocation);
    observer.onEvent({ type: 'claimed', ...claim, leaseUntil: 60_000, durationMs: 1 }, invocation);
    const outcomes = { unfinished: 1 };
    observer.onEvent({ type: 'batchFinished', records: 1, outcomes, durationMs: 3_000 }, invocation);
    const spans = exporter.getFinishedSpans();
    const record = only(spans.filter(({ name }) => name === 'process orders'));
    expect(record.attributes['batchlatch.outcome']).toBe('unfinished');
    const before = spans.length;
    observer.onOutcome?.('a', 'completed', invocation);
    expect(exporter.getFinishedSpans()).toHaveLength(before);
  });

  it('of two records with one ID all end', async () => {
    const b = traced();
    const event = sqsEvent([
      { body: 'one', messageId: 'a' },
      { body: 'other', messageId: 'a' },
    ]);
    await b.processor(() => 'done', { key: ({ rawBody }) => rawBody })(event);
    expect(b.named('run')).toHaveLength(2);
  });

  it('all end with the batch, and nothing is begun after it', async () => {
    const b = traced();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), b.lambda(3_000));
    await b.clock.advance(3_000);
    await answer;
    const before = exporter.getFinishedSpans().length;
    await b.clock.advance(60_000);
    end.resolve();
    await b.clock.advance(10);
    expect(exporter.getFinishedSpans()).toHaveLength(before);
  });
});

describe('The producer of a message', () => {
  const link = async (event: SQSEvent, options?: OpenTelemetryOptions): Promise<unknown> => {
    const b = traced(options);
    exporter.reset();
    await b.processor(() => 'done')(event);
    return only(b.named('process orders')).links.map(({ context: its }) => [
      its.traceId,
      its.spanId,
      its.traceFlags,
    ]);
  };
  const XRAY = ['5759e988bd862e3fe1be46a994272793', '53995c3f42cd8ad8', 1];

  it('is linked by traceparent, with a propagator and without one', async () => {
    expect(await link(withAttribute('traceparent', TRACEPARENT))).toEqual([[TRACE_ID, SPAN_ID, 1]]);
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    expect(await link(withAttribute('traceparent', TRACEPARENT))).toEqual([[TRACE_ID, SPAN_ID, 1]]);
  });

  it('is linked by AWSTraceHeader, where nothing else names it', async () => {
    const event = sent((record) => Object.assign(record.attributes, { AWSTraceHeader: XRAY_HEADER }));
    expect(await link(event)).toEqual([XRAY]);
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    expect(await link(event)).toEqual([XRAY]);
    const both = sent((record) => {
      Object.assign(record.attributes, { AWSTraceHeader: XRAY_HEADER });
      record.messageAttributes['traceparent'] = { stringValue: TRACEPARENT, dataType: 'String' };
    });
    expect(await link(both)).toEqual([[TRACE_ID, SPAN_ID, 1]]);
  });

  it('is what the given propagator finds', async () => {
    const propagator: TextMapPropagator = {
      inject: () => undefined,
      fields: () => ['x-span'],
      extract: (outer: Context, carrier, getter) =>
        trace.setSpanContext(outer, {
          traceId: TRACE_ID,
          spanId: String(getter.get(carrier, 'x-span')),
          traceFlags: 0,
        }),
    };
    expect(await link(withAttribute('x-span', SPAN_ID), { propagator })).toEqual([[TRACE_ID, SPAN_ID, 0]]);
  });

  it.each([
    ['traceparent', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['traceparent', `${TRACEPARENT}-more`],
    ['traceparent', `00-${'0'.repeat(32)}-${SPAN_ID}-01`],
    ['traceparent', TRACEPARENT.toUpperCase()],
    ['traceparent', `${TRACEPARENT}${' '.repeat(9_000)}`],
    ['x-amzn-trace-id', 'Root=1-5759e988-bd862e3fe1be46a994272793'],
    ['x-amzn-trace-id', 'Root=2-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8'],
    ['x-amzn-trace-id', ';;;==;Parent'],
    ['x-amzn-trace-id', 'Self=1;'.repeat(20) + XRAY_HEADER],
  ])('is not linked by the %s %j', async (name, value) => {
    expect(await link(withAttribute(name, value))).toEqual([]);
  });

  it('is the parent where that is asked for, and the batch is linked', async () => {
    const b = traced({ producer: 'parent' });
    await b.processor(() => users.startSpan('work').end())(withAttribute('traceparent', TRACEPARENT));
    const record = only(b.named('process orders'));
    expect(record.spanContext().traceId).toBe(TRACE_ID);
    expect(parentOf(record)).toBe(SPAN_ID);
    expect(record.links.map(({ context: its }) => its.spanId)).toEqual([idOf(only(b.named('batch orders')))]);
    expect(only(b.named('work')).spanContext().traceId).toBe(TRACE_ID);
  });

  it('brings no baggage into the handler', async () => {
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    const seen: unknown[] = [];
    const b = traced({ producer: 'parent' });
    const event = withAttribute('traceparent', TRACEPARENT);
    (event.Records[0] as SQSRecord).messageAttributes['baggage'] = {
      stringValue: 'tenant=other',
      dataType: 'String',
    };
    await b.processor(() => void seen.push(propagation.getActiveBaggage()))(event);
    expect(seen).toEqual([undefined]);
  });
});

describe('The metrics', () => {
  it('are durations, messages and outcomes', async () => {
    const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: metricExporter });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const b = traced({ meterProvider });
    await b.run(
      async ({ id }) => {
        await b.clock.advance(20);
        if (id === 'bad') throw new TypeError('declined');
      },
      ['ok', 'bad'],
      { concurrency: 1 },
    );
    await meterProvider.forceFlush();
    const metrics = metricExporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    await meterProvider.shutdown();
    const named = (name: string): unknown =>
      metrics
        .find(({ descriptor }) => descriptor.name === name)
        ?.dataPoints.map(({ attributes, value }) => [attributes, value]);
    const common = { 'messaging.system': 'aws_sqs', 'messaging.destination.name': 'orders' };
    const process = { ...common, 'messaging.operation.name': 'process' };
    expect(named('messaging.client.consumed.messages')).toEqual([[process, 2]]);
    expect(named('messaging.process.duration')).toMatchObject([
      [process, { count: 1, sum: 0.02, buckets: { boundaries: expect.arrayContaining([0.005, 10]) } }],
      [{ ...process, 'error.type': 'TypeError' }, { count: 1 }],
    ]);
    expect(named('batchlatch.records')).toEqual([
      [{ ...process, 'batchlatch.outcome': 'completed' }, 1],
      [{ ...process, 'batchlatch.outcome': 'failed' }, 1],
    ]);
  });
});

describe('openTelemetry', () => {
  it('does nothing where nobody has set anything up', async () => {
    const b = bench();
    expect(await b.run(() => 'done', ['a'], { observer: openTelemetry() })).toEqual([]);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('harms no record when a tracer is broken', async () => {
    const b = bench();
    const broken = {
      getTracer: () => ({
        startSpan: () => {
          throw new Error('a broken tracer');
        },
      }),
    };
    const runs: string[] = [];
    const observer = openTelemetry({ tracerProvider: broken as never });
    const handler: RecordHandler = ({ id }) => runs.push(id);
    expect(await b.run(handler, ['a'], { observer })).toEqual([]);
    expect(runs).toEqual(['a']);
  });

  it.each<[string, unknown, string]>([
    ['aws_sqs', sqsEvent([{ body: 1 }], { queueName: 'other' }), 'other'],
    ['aws.sns', snsEvent([{ message: 1, topicName: 'news' }]), 'news'],
    ['kafka', kafkaEvent([{ value: 1, topic: 'payments' }]), 'payments'],
    ['aws_eventbridge', eventBridgeEvent({}), 'shop.orders'],
  ])('names the system %s, and where its messages come from', async (system, event, destination) => {
    const process = createBatchProcessor(() => 'done', {
      store: memoryStore(),
      namespace: 'systems',
      observer: openTelemetry({ tracerProvider }),
    });
    await process(event);
    const span = only(exporter.getFinishedSpans().filter(({ name }) => name === `process ${destination}`));
    expect(span.attributes['messaging.system']).toBe(system);
  });

  it.each<[object, string]>([
    [{ producer: 'child' }, 'Expected `producer`'],
    [{ tracerProvider: {} }, 'Expected `tracerProvider`'],
    [{ tracer: 5 }, 'Unknown option `tracer`'],
  ])('refuses %j', (options, message) => {
    expect(() => openTelemetry(options as never)).toThrow(`openTelemetry: ${message}`);
  });
});
