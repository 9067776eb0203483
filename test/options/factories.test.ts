import { describe, expect, it } from '@jest/globals';
import { base64, cached, gzip, jsonLines, payloadHash, resultsIn } from 'batchlatch';
import { claimsTableDefinition, dynamoDBStore } from 'batchlatch/dynamodb';
import { startDurable } from 'batchlatch/durable';
import { argumentHash } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { emfMetrics, powertools } from 'batchlatch/observe';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { createClaimMonitor, createOutboxMonitor } from 'batchlatch/monitor';
import {
  powertoolsAttributesNamed,
  powertoolsCacheStore,
  powertoolsCallKey,
  powertoolsCallValidation,
  powertoolsKey,
  powertoolsValidation,
} from 'batchlatch/powertools';
import { s3Pointer, s3Results } from 'batchlatch/s3';
import { lambdaContext, manualClock, sqsEvent } from 'batchlatch/testing';

const store = memoryStore();
const admin = Object.fromEntries(['list', 'count', 'read', 'change'].map((name) => [name, () => undefined]));
const storage = { put: async () => 'p', get: async () => '7' };

/** Every factory with options: its name, what makes it, and options that work. */
const factories: readonly [name: string, make: (options: never) => unknown, working: object][] = [
  ['dynamoDBStore', dynamoDBStore, { tableName: 'claims', clockToleranceMs: 5, writes: 'single' }],
  ['memoryStore', memoryStore, { clock: Date, clockToleranceMs: 5, onCommit: () => undefined }],
  ['cached', (options) => cached(store, options), { max: 1, clock: Date }],
  ['resultsIn', (options) => resultsIn(storage, store, options), { clock: manualClock() }],
  ['s3Results', s3Results, { bucket: 'results', prefix: '', thresholdBytes: 0, client: { send: () => 1 } }],
  [
    's3Pointer',
    s3Pointer,
    { buckets: ['b'], expectedBucketOwner: '123456789012', maxBytes: 1, timeoutMs: 1 },
  ],
  [
    'startDurable',
    startDurable,
    { functionName: 'f', qualifier: '1', client: { send: Date }, executionName: String, payload: Date },
  ],
  ['jsonLines', jsonLines, { level: 'warn', write: () => undefined }],
  [
    'emfMetrics',
    emfMetrics,
    { namespace: 'n', dimensions: { a: 'b' }, write: () => undefined, clock: manualClock() },
  ],
  [
    'powertools',
    powertools,
    {
      logger: { debug: Date, info: Date, warn: Date, error: Date, getLevelName: Date },
      level: 'warn',
      metrics: { addMetric: Date, addMetadata: Date, publishStoredMetrics: Date },
      publishMetrics: false,
      tracer: { isTracingEnabled: Date, getSegment: Date, setSegment: Date },
    },
  ],
  [
    'openTelemetry',
    openTelemetry,
    {
      tracerProvider: { getTracer: Date },
      meterProvider: { getMeter: Date },
      propagator: { extract: Date },
      producer: 'parent',
    },
  ],
  [
    'createClaimMonitor',
    createClaimMonitor,
    { admin, tableName: 't', limit: 0, logKeys: true, write: () => 1, clock: manualClock() },
  ],
  [
    'createOutboxMonitor',
    createOutboxMonitor,
    { admin, tableName: 't', write: () => 1, clock: manualClock() },
  ],
  ['payloadHash', payloadHash, { include: ['orderId'] }],
  ['argumentHash', argumentHash, { exclude: ['sentAt'] }],
  ['gzip', gzip, { maxBytes: 1 }],
  ['base64', base64, { maxBytes: 1 }],
  ['powertoolsKey', powertoolsKey, { eventKeyJmesPath: 'messageId', keyPrefix: 'p', hashFunction: 'sha256' }],
  ['powertoolsValidation', powertoolsValidation, { payloadValidationJmesPath: 'body' }],
  ['powertoolsCallKey', powertoolsCallKey, { eventKeyJmesPath: 'orderId', dataIndexArgument: 1 }],
  ['powertoolsCallValidation', powertoolsCallValidation, { payloadValidationJmesPath: 'amount' }],
  [
    'powertoolsCacheStore',
    powertoolsCacheStore,
    { client: { sendCommand: Date, isOpen: true }, dataAttr: 'd', clock: manualClock() },
  ],
  ['sqsEvent', (options) => sqsEvent([], options), { queueName: 'orders', fifo: false }],
  ['lambdaContext', lambdaContext, { functionName: 'f', remainingTimeMs: -1, clock: manualClock() }],
];

describe.each(factories)('%s', (name, make, working) => {
  const start = (options: unknown) => () => make(options as never);

  it('takes what works', () => {
    expect(start(working)).not.toThrow();
  });

  it.each(['clockTolerance', 'prefx', 'toString'])('refuses an option that nobody knows: %s', (option) => {
    expect(start({ ...working, [option]: 5 })).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringMatching(new RegExp(`^${name}: Unknown option \`${option}\``)),
      }),
    );
  });

  it.each([null, 7, 'claims', ['claims']])('refuses what are no options: %j', (options) => {
    expect(start(options)).toThrow(`${name}: Expected the options to be an object, got`);
  });

  it.each(Object.keys(working))('refuses an impossible `%s`', (option) => {
    expect(start({ ...working, [option]: Symbol(option) })).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringMatching(new RegExp(`^${name}: Expected \`${option}\` to be .*, got`)),
      }),
    );
  });
});

describe('Other arguments', () => {
  it.each<[string, () => unknown, string]>([
    ['manualClock', () => manualClock('now' as never), 'manualClock: Expected `startMs` to be a number'],
    [
      'claimsTableDefinition',
      () => claimsTableDefinition('c', { state: 's' } as never),
      'Unknown attribute `state`',
    ],
    ['powertoolsAttributesNamed', () => powertoolsAttributesNamed({ keyAtr: 'k' } as never), '`keyAtr`'],
    [
      'payloadHash',
      () => payloadHash({ include: ['a'], exclude: ['b'] }),
      'payloadHash: Expected `include` or',
    ],
  ])('that cannot work are refused: %s', (_name, make, message) => {
    expect(make).toThrow(message);
  });
});
