import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { Tracer } from '@aws-lambda-powertools/tracer';
import xray from 'aws-xray-sdk-core';
import { createBatchProcessor, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ObservedInvocation, observers, powertools } from 'batchlatch/observe';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { bench, ids, messages } from '../batch/bench.ts';
import { type EmfLine, emfProblems } from './emf-rules.ts';
import { processorMs } from '../support/processor-time.ts';

const SECRET = 'TOPSECRET-4111';
const fails: RecordHandler = () => Promise.reject(new Error('declined'));

/** What is printed through the console, as objects. Powertools writes there in development, else to a console of its own. */
let lines: Record<string, unknown>[] = [];
const environment = { ...process.env };
let restored: (() => void)[] = [];
beforeEach(() => {
  Object.assign(process.env, { POWERTOOLS_DEV: 'true', POWERTOOLS_METRICS_DISABLED: 'false' });
  lines = [];
  restored = (['debug', 'info', 'log', 'warn', 'error'] as const).map((method) => {
    const spy = jest.spyOn(console, method).mockImplementation((line: unknown) => {
      lines.push(JSON.parse(String(line)) as Record<string, unknown>);
    });
    return () => spy.mockRestore();
  });
});
afterEach(() => {
  process.env = { ...environment };
  for (const restore of restored) restore();
});

describe('A utility that throws', () => {
  it('does not keep data from the others', async () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    const added: string[] = [];
    const observer = powertools({
      logger: { debug: broken, info: broken, warn: broken, error: broken, getLevelName: () => 'DEBUG' },
      metrics: {
        addMetric: (name) => added.push(name),
        addMetadata: () => undefined,
        publishStoredMetrics: () => added.push('published'),
      },
    });
    await bench().processor(() => 'done', { observer })(messages('a'));
    expect(added).toContain('HandlerDuration');
    expect(added.at(-1)).toBe('published');
  });
});

describe('A logger or metrics of your own that reject', () => {
  it('do not end the process', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const rejects = (): Promise<never> => Promise.reject(new Error('down'));
    const observer = powertools({
      logger: { debug: rejects, info: rejects, warn: rejects, error: rejects, getLevelName: () => 'DEBUG' },
      metrics: { addMetric: () => undefined, addMetadata: () => undefined, publishStoredMetrics: rejects },
    });
    await bench().processor(() => 'done', { observer })(messages('a'));
    await setImmediate();
    process.off('unhandledRejection', note);
    expect(rejected).toEqual([]);
  });
});

describe('The logger of Powertools', () => {
  it('gets a line for each event of its level and above, with the fields of JSON lines', async () => {
    const observer = powertools({ logger: new Logger({ serviceName: 'orders', logLevel: 'WARN' }) });
    const b = bench();
    const process = b.processor(fails, { observer });
    await process(messages('a'), { ...b.lambda(60_000), awsRequestId: 'request-1' });
    expect(lines).toMatchObject([
      {
        level: 'WARN',
        message: 'failed',
        service: 'orders',
        requestId: 'request-1',
        function: 'test-function',
        source: 'sqs',
        recordId: 'a',
        attempt: 1,
        key: expect.stringMatching(/^[\da-f]{16}$/),
        error: { name: 'Error', message: 'declined' },
      },
    ]);
  });

  it.each<['DEBUG' | 'INFO' | 'ERROR' | 'CRITICAL' | 'SILENT', string[]]>([
    ['DEBUG', ['claimed', 'started', 'failed', 'settling', 'batchFinished']],
    ['INFO', ['failed', 'settling', 'batchFinished']],
    ['ERROR', []],
    ['CRITICAL', []],
    ['SILENT', []],
  ])('decides by its level %s', async (logLevel, expected) => {
    const observer = powertools({ logger: new Logger({ logLevel }) });
    await bench().run(fails, ['a'], { observer });
    expect(lines.map(({ message }) => message)).toEqual(expected);
  });

  it('gets less where a level is named', async () => {
    const observer = powertools({ logger: new Logger({ logLevel: 'DEBUG' }), level: 'warn' });
    await bench().run(fails, ['a'], { observer });
    expect(lines.map(({ message }) => message)).toEqual(['failed']);
  });

  it('never gets a body, a key or what hangs on an error', async () => {
    const observer = powertools({ logger: new Logger({ logLevel: 'DEBUG' }), metrics: new Metrics() });
    const process = createBatchProcessor<{ card: string }>(
      ({ body }) => {
        throw Object.assign(new Error('declined', { cause: body }), { request: body });
      },
      { store: memoryStore(), namespace: 'secrets', key: ({ body }) => body.card, observer },
    );
    await process(sqsEvent([{ body: { card: SECRET } }]), lambdaContext());
    expect(lines.length).toBeGreaterThan(4);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });
});

describe('The metrics of Powertools', () => {
  it('are published when a batch has finished, in their own namespace', async () => {
    const observer = powertools({ metrics: new Metrics({ namespace: 'shop', serviceName: 'orders' }) });
    const b = bench();
    await b.processor(() => 'done', { observer })(messages('a', 'b'), {
      ...b.lambda(60_000),
      awsRequestId: 'request-1',
    });
    expect(lines).toMatchObject([
      {
        _aws: { CloudWatchMetrics: [{ Namespace: 'shop', Dimensions: [['service']] }] },
        service: 'orders',
        requestId: 'request-1',
        Claimed: 2,
        Completed: 2,
        Failed: 0,
        HandlerDuration: [0, 0],
      },
    ]);
    expect(emfProblems(JSON.stringify(lines[0]))).toEqual([]);
  });

  it('are as many lines as 100 values of an array need', async () => {
    const observer = powertools({ metrics: new Metrics({ namespace: 'shop' }) });
    await bench().run(() => 'done', ids(150), { observer, concurrency: 150 });
    const metrics = lines as EmfLine[];
    const durations = metrics.flatMap(({ HandlerDuration = [] }) => HandlerDuration as number[]);
    expect(durations).toHaveLength(150);
    expect(metrics.map(({ Completed = 0 }) => Completed as number).reduce((a, b) => a + b)).toBe(150);
    for (const line of metrics) expect(emfProblems(JSON.stringify(line))).toEqual([]);
  });

  it('are left to whoever publishes them', async () => {
    const metrics = new Metrics({ namespace: 'shop' });
    await bench().run(() => 'done', ['a'], { observer: powertools({ metrics, publishMetrics: false }) });
    expect(lines).toEqual([]);
    metrics.publishStoredMetrics();
    expect(lines).toMatchObject([{ Completed: 1 }]);
  });
});

describe('The tracer of Powertools', () => {
  beforeEach(() => {
    // As in Lambda, where alone the tracer is on.
    Object.assign(process.env, {
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
      POWERTOOLS_TRACE_ENABLED: 'true',
    });
  });

  /** What a processor did inside an X-Ray segment. */
  async function traced(
    handler: (id: string, tracer: Tracer) => unknown,
    ...some: string[]
  ): Promise<xray.Segment> {
    const tracer = new Tracer({ serviceName: 'orders', captureHTTPsRequests: false });
    const segment = new xray.Segment('orders');
    const b = bench();
    const observer = observers(powertools({ tracer }), { onEvent: (event) => void b.events.push(event) });
    await xray.getNamespace().runPromise(async () => {
      tracer.setSegment(segment);
      await b.run(({ id }) => handler(id, tracer), some, { observer });
      expect(tracer.getSegment()).toBe(segment);
    });
    return segment;
  }

  const shown = (segment: xray.Segment): unknown => JSON.parse(JSON.stringify(segment.subsegments ?? []));

  it('gets a subsegment for each record, closed at its end', async () => {
    const segment = await traced(
      (id) => {
        if (id === 'bad') throw new Error('declined');
      },
      'ok',
      'bad',
    );
    expect(shown(segment)).toMatchObject([
      { name: 'process orders', annotations: { recordId: 'ok', attempt: 1 }, end_time: expect.any(Number) },
      {
        name: 'process orders',
        annotations: { recordId: 'bad' },
        fault: true,
        metadata: { batchlatch: { error: { name: 'Error', message: 'declined' } } },
        end_time: expect.any(Number),
      },
    ]);
    expect((shown(segment) as object[])[0]).not.toHaveProperty('fault');
  });

  it('has it as the current one in the handler, of each record its own', async () => {
    const segment = await traced(
      async (id, tracer) => {
        await Promise.resolve();
        const own = tracer.getSegment()?.addNewSubsegment(`work of ${id}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
        own?.close();
      },
      'a',
      'b',
    );
    expect(shown(segment)).toMatchObject([
      { annotations: { recordId: 'a' }, subsegments: [{ name: 'work of a' }] },
      { annotations: { recordId: 'b' }, subsegments: [{ name: 'work of b' }] },
    ]);
  });

  it('gets one for a call with many records, closed at the end of the last, within a second', () => {
    const ends: string[] = [];
    const segment = { addAnnotation: () => undefined, close: () => void ends.push('closed') };
    const parent = { ...segment, addNewSubsegment: () => segment };
    const tracer = {
      isTracingEnabled: () => true,
      getSegment: () => parent,
      setSegment: () => undefined,
      provider: { getNamespace: () => ({ run: (work: () => void) => work() }) },
    };
    const { onEvent, aroundHandler } = powertools({ tracer: tracer as never });
    const invocation = { source: 'sqs' } as ObservedInvocation;
    const attempts = Array.from({ length: 50_000 }, (_, index) => {
      const id = String(index);
      return { recordId: id, key: id, owner: id, attempt: 1 };
    });
    const tookMs = processorMs(() => {
      aroundHandler?.(attempts, invocation, () => undefined);
      for (const attempt of attempts) {
        ends.push('ended');
        onEvent({ type: 'succeeded', durationMs: 1, ...attempt }, invocation);
      }
    });
    expect([ends.indexOf('closed'), ends.length]).toEqual([attempts.length, attempts.length + 1]);
    expect(tookMs).toBeLessThan(1_000); // each with each: 16 s
  });

  it('gets nothing where tracing is off', async () => {
    const tracer = new Tracer({ enabled: false });
    expect(await bench().run(() => 'done', ['a'], { observer: powertools({ tracer }) })).toEqual([]);
  });
});

describe('powertools', () => {
  it('needs something to tell', () => {
    expect(() => powertools({})).toThrow('powertools: Expected a `logger`, `metrics` or a `tracer`');
  });

  it('takes what Powertools makes', () => {
    expect(() =>
      powertools({ logger: new Logger(), metrics: new Metrics(), tracer: new Tracer({ enabled: false }) }),
    ).not.toThrow();
  });
});
