import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, jsonLines, type Observer } from 'batchlatch';
import { message, messages, routes } from 'batchlatch/messages';
import { memoryStore } from 'batchlatch/memory';
import { emfMetrics } from 'batchlatch/observe';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { orders, typed } from './orders.ts';

/** Runs two declared types, of which one fails, and an undeclared one. */
async function run(observer: Observer): Promise<void> {
  const processor = createBatchProcessor(
    routes(orders, {
      OrderPlaced: () => undefined,
      OrderCancelled: () => {
        throw new Error('down');
      },
      Pinged: () => undefined,
    }),
    { store: memoryStore(), namespace: 'shop', observer },
  );
  const event = sqsEvent(
    [
      typed('OrderPlaced', { orderId: '1', total: 1 }),
      typed('OrderPlaced', { orderId: '2', total: 1 }),
      typed('OrderCancelled', { orderId: '1' }),
      typed(`Random${Math.random()}`, {}),
    ].map((one, at) => ({ messageId: `m${at}`, ...one })),
  );
  await processor(event);
}

type Line = Readonly<Record<string, unknown>>;

describe('types of message', () => {
  it('are in every line of a record, and in the counts of the batch', async () => {
    const lines: Line[] = [];
    await run(jsonLines({ level: 'debug', write: (line) => void lines.push(JSON.parse(line) as Line) }));
    const typesIn = (name: string): string[] =>
      lines
        .filter(({ message: one }) => one === name)
        .map(({ messageType }) => String(messageType))
        .toSorted();
    expect(typesIn('started')).toEqual(['OrderCancelled', 'OrderPlaced', 'OrderPlaced']);
    expect([typesIn('failed'), typesIn('invalid')]).toEqual([['OrderCancelled'], ['other']]);
    const settling = lines
      .flatMap(({ ends }) => (ends ?? []) as Line[])
      .map((end) => String(end['messageType']));
    expect(settling.toSorted()).toEqual(['OrderCancelled', 'OrderPlaced', 'OrderPlaced']);
    expect(lines.find(({ message: one }) => one === 'batchFinished')).toMatchObject({
      types: { OrderPlaced: { completed: 2 }, OrderCancelled: { failed: 1 }, other: { invalid: 1 } },
    });
  });

  it('are counted whatever they are called', async () => {
    const types = messages({ constructor: message(z.object({})) });
    const counts: unknown[] = [];
    const processor = createBatchProcessor(routes(types, { constructor: () => undefined }), {
      store: memoryStore(),
      namespace: 'shop',
      observer: { onEvent: (event) => void (event.type === 'batchFinished' && counts.push(event.types)) },
    });
    await processor(sqsEvent([typed('constructor', {})]));
    expect(counts).toEqual([{ constructor: { completed: 1 } }]);
  });

  it('are absent without routes', async () => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const observer = jsonLines({ level: 'debug', write });
    const processor = createBatchProcessor(() => undefined, {
      store: memoryStore(),
      namespace: 'n',
      observer,
    });
    await processor(sqsEvent([typed('OrderPlaced', {})]));
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => line.includes('OrderPlaced') || line.includes('ypes'))).toEqual([]);
  });

  it('are a dimension of more metrics if asked for: declared types, and `other`', async () => {
    const lines: Line[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Line);
    await run(emfMetrics({ write, messageTypes: true }));
    const [all, ...byType] = lines;
    expect(all).toMatchObject({ Completed: 2, Failed: 2, Started: 3 });
    expect(all).not.toHaveProperty('messageType');
    const shown = byType.map(({ messageType, Completed, Failed, Started, _aws }) => ({
      messageType,
      Completed,
      Failed,
      Started,
      dimensions: (_aws as { CloudWatchMetrics: [{ Dimensions: [string[]] }] }).CloudWatchMetrics[0]
        .Dimensions[0],
    }));
    const dimensions = ['function', 'source', 'messageType'];
    expect(shown).toEqual([
      { messageType: 'OrderPlaced', Completed: 2, Failed: 0, Started: 2, dimensions },
      { messageType: 'OrderCancelled', Completed: 0, Failed: 1, Started: 1, dimensions },
      { messageType: 'other', Completed: 0, Failed: 1, Started: 0, dimensions },
    ]);
    lines.length = 0;
    await run(emfMetrics({ write }));
    expect(lines).toHaveLength(1);
  });

  it('are an attribute of spans and metrics of OpenTelemetry', async () => {
    const spans = new InMemorySpanExporter();
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const meterProvider = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter: metrics })],
    });
    await run(
      openTelemetry({
        tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
        meterProvider,
      }),
    );
    const types = spans
      .getFinishedSpans()
      .filter(({ name }) => name === 'process orders')
      .map(({ attributes }) => String(attributes['batchlatch.message_type']));
    expect(types.toSorted()).toEqual(['OrderCancelled', 'OrderPlaced', 'OrderPlaced', 'other']);
    await meterProvider.forceFlush();
    const found = metrics.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    const counted = found
      .find(({ descriptor }) => descriptor.name === 'batchlatch.records')
      ?.dataPoints.map(({ attributes, value }) => [
        attributes['batchlatch.message_type'],
        attributes['batchlatch.outcome'],
        value,
      ]);
    expect(counted).toEqual([
      ['OrderPlaced', 'completed', 2],
      ['OrderCancelled', 'failed', 1],
      ['other', 'invalid', 1],
    ]);
    await meterProvider.shutdown();
  });

  it('come with the trace context of an EventBridge event, which is in its detail', async () => {
    const seen: unknown[] = [];
    const pings = messages({ Pinged: message(z.strictObject({})) });
    const processor = createBatchProcessor(routes(pings, { Pinged: () => undefined }), {
      store: memoryStore(),
      namespace: 'shop',
      observer: {
        onEvent(event, invocation) {
          if (event.type !== 'started') return;
          const record = invocation?.recordOf(event.recordId);
          seen.push([record?.type, record?.headerOf('traceparent')]);
        },
      },
    });
    const _attributes = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await processor(eventBridgeEvent({ _attributes }, { 'detail-type': 'Pinged' }));
    expect(seen).toEqual([['Pinged', _attributes.traceparent]]);
  });
});
