import http from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { context, SpanKind, SpanStatusCode, trace, type TracerProvider } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { isTracingSuppressed } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { REQUEST_CHANNEL, type RequestMessage } from '../../src/aws/request-watch.ts';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../support/claims-table.ts';
import { type JsonProxy, refusal, startJsonProxy } from '../support/json-proxy.ts';
import { until } from '../support/until.ts';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const clientSpans = (): ReadableSpan[] =>
  exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.CLIENT);
const named = (name: RegExp): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => name.test(span.name));

describe('Requests to DynamoDB in traces of OpenTelemetry', () => {
  let emulator: LocalService;
  let proxy: JsonProxy<object, object>;
  let tableName: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    emulator = await startDynamoDBEmulator('dynoxide');
    const client = emulatorClient(emulator.endpoint);
    tableName = await createClaimsTable(client);
    client.destroy();
    proxy = await startJsonProxy(emulator.endpoint);
    env = { ...process.env };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_CA_BUNDLE: '',
    });
  });
  afterAll(async () => {
    process.env = env;
    context.disable();
    await proxy.stop();
    await emulator.stop();
  });
  afterEach(() => {
    proxy.interpose((_call, ask) => ask());
    exporter.reset();
  });

  let run = 0;
  async function batch(ids: readonly string[], provider: TracerProvider = tracerProvider): Promise<unknown> {
    run += 1;
    const handler = createBatchProcessor(() => undefined, {
      store: dynamoDBStore({ tableName }),
      namespace: `run-${run}`,
      observer: openTelemetry({ tracerProvider: provider }),
    });
    return handler(sqsEvent(ids.map((messageId) => ({ messageId, body: {} }))), lambdaContext());
  }

  it('are children of the span of the batch, and linked to the spans of their records', async () => {
    await batch(['a', 'b', 'c']);
    const [whole] = named(/^batch /);
    const records = named(/^process /);
    expect(records).toHaveLength(3);
    const requests = clientSpans();
    expect(requests.map(({ name }) => name)).toEqual(Array(2).fill(`BatchExecuteStatement ${tableName}`));
    for (const request of requests) {
      expect(request.parentSpanContext?.spanId).toBe(idOf(whole as ReadableSpan));
      expect(request.links.map((link) => link.context.spanId).toSorted()).toEqual(
        records.map(idOf).toSorted(),
      );
      expect(request.attributes).toEqual({
        'db.system.name': 'aws.dynamodb',
        'db.operation.name': 'BatchExecuteStatement',
        'db.operation.batch.size': 3,
        'aws.dynamodb.table_names': [tableName],
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(proxy.endpoint).port),
        'cloud.region': 'eu-west-1',
        'http.response.status_code': 200,
        ...('aws.request_id' in request.attributes && { 'aws.request_id': expect.any(String) }),
      });
    }
  });

  it('end before the records of a claim are known to have begun', async () => {
    await batch(['a']);
    const [claim] = clientSpans();
    const [record] = named(/^process /);
    const end = (span: ReadableSpan | undefined): number =>
      Number(span?.endTime[0]) * 1e9 + Number(span?.endTime[1]);
    expect(end(claim)).toBeLessThan(end(record));
  });

  it('have one span where they are sent again, which says how often', async () => {
    let refusals = 2;
    proxy.interpose((_call, ask) => {
      refusals -= 1;
      if (refusals >= 0) throw refusal('ThrottlingException');
      return ask();
    });
    await batch(['a']);
    const [claim, settlement] = clientSpans();
    expect(claim?.attributes).toMatchObject({
      'http.request.resend_count': 2,
      'http.response.status_code': 200,
    });
    expect(claim?.status.code).toBe(SpanStatusCode.UNSET);
    expect(settlement?.attributes).not.toHaveProperty('http.request.resend_count');
  });

  it('have failed where DynamoDB refuses them, and end once', async () => {
    proxy.interpose(() => {
      throw refusal('AccessDeniedException');
    });
    await batch(['a', 'b']);
    const requests = clientSpans();
    expect(requests.length).toBeGreaterThan(0);
    expect(new Set(requests.map(idOf)).size).toBe(requests.length);
    for (const { status, attributes } of requests) {
      expect(status.code).toBe(SpanStatusCode.ERROR);
      expect(attributes).toMatchObject({
        'error.type': 'AccessDeniedException',
        'http.response.status_code': 400,
      });
    }
  });

  it('of overlapping batches have one span, which is linked to the records of all', async () => {
    const handler = createBatchProcessor(() => undefined, {
      store: dynamoDBStore({ tableName }),
      namespace: 'overlapping',
      observer: openTelemetry({ tracerProvider }),
    });
    let answer: (() => void) | undefined;
    proxy.interpose((_call, ask) => {
      if (answer !== undefined) return ask();
      return new Promise((resolve) => {
        answer = () => resolve(ask());
      });
    });
    const one = (messageId: string): Promise<unknown> =>
      handler(sqsEvent([{ messageId, body: {} }]), lambdaContext());
    const first = one('a');
    const others = [one('b'), one('c')];
    await until('the first request has been sent', () => answer !== undefined);
    answer?.();
    await Promise.all([first, ...others]);
    const shared = clientSpans().filter(({ attributes }) => attributes['db.operation.batch.size'] === 2);
    expect(shared.length).toBeGreaterThan(0);
    for (const { links } of shared) expect(links).toHaveLength(2);
  });

  describe('beside what traces the HTTP of the process', () => {
    const { request } = http;
    let seen = 0;

    beforeEach(() => {
      seen = 0;
      // As APM agents do.
      http.request = ((...args: Parameters<typeof request>) => {
        seen += 1;
        return request(...args);
      }) as typeof request;
    });
    afterEach(() => {
      http.request = request;
    });

    it('are not seen by it a second time', async () => {
      await batch(['a', 'b']);
      expect(clientSpans()).toHaveLength(2);
      expect(seen).toBe(0);
    });

    it('are left to it where no provider makes spans', async () => {
      await batch(['a', 'b'], trace.getTracerProvider());
      expect(clientSpans()).toEqual([]);
      expect(seen).toBe(2);
    });

    it.each([
      ['are seen by nothing that wraps no function', '', []],
      ["have a context in which nothing is traced, by Node's client", 'node', [true, true]],
    ])('%s', async (_what, client, seen) => {
      const suppressed: boolean[] = [];
      const note = (message: unknown): void => {
        const { request: sent } = message as { readonly request: http.ClientRequest };
        if (sent.getHeader('host') !== new URL(proxy.endpoint).host) return; // the proxy's own
        suppressed.push(isTracingSuppressed(context.active()));
      };
      subscribe('http.client.request.start', note);
      process.env['BATCHLATCH_HTTP'] = client;
      try {
        await batch(['a']);
      } finally {
        delete process.env['BATCHLATCH_HTTP'];
        unsubscribe('http.client.request.start', note);
      }
      expect(suppressed).toEqual(seen);
    });
  });

  it('go on where a subscriber of their channel throws or never sends', async () => {
    const bad = (message: unknown): void =>
      (message as RequestMessage).follow({
        run: () => {
          throw new Error('from a subscriber');
        },
        ended: () => {
          throw new Error('from a subscriber');
        },
      });
    subscribe(REQUEST_CHANNEL, bad);
    try {
      await expect(batch(['a', 'b'])).resolves.toEqual({ batchItemFailures: [] });
    } finally {
      unsubscribe(REQUEST_CHANNEL, bad);
    }
  });
});
