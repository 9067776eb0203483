import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { type BatchRecord, createBatchProcessor, KeyError, messageId, wholeKey } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, lambdaContext, sqsEvent } from 'batchlatch/testing';
import { powertoolsKey, powertoolsValidation } from 'batchlatch/powertools';

const FUNCTION_NAME = 'orders-function';

beforeEach(() => {
  process.env['AWS_LAMBDA_FUNCTION_NAME'] = FUNCTION_NAME;
});
afterEach(() => {
  delete process.env['AWS_LAMBDA_FUNCTION_NAME'];
});

/** Notes the ids and the payload hashes that Powertools itself makes. */
class NotingLayer extends BasePersistenceLayer {
  readonly puts: IdempotencyRecord[] = [];
  async _putRecord(record: IdempotencyRecord): Promise<void> {
    this.puts.push(record);
  }
  async _updateRecord(): Promise<void> {}
  async _deleteRecord(): Promise<void> {}
  async _getRecord(): Promise<IdempotencyRecord> {
    throw new Error('not used');
  }
}

const PAYLOADS: readonly unknown[] = [
  'text',
  'ünï ☃ 🎈 "quoted" \\ \n',
  7,
  0,
  -0.5,
  1e21,
  1.0,
  2 ** 63,
  true,
  false,
  { b: 1, a: 2, C: 3, A: 4, c: 5, B: 6 },
  { a: { z: [3, { y: null, X: 'x' }, [1, [2]]], é: 'e', e: 'é' } },
  { 10: 'ten', 9: 'nine', b: 1, a: undefined },
  [{ b: 1, a: 2 }, null, 'three', [], {}],
  [3, 1, 2],
  ['a', null],
  JSON.parse('{"__proto__":{"x":1},"constructor":{"y":2},"a":1}'),
  { date: '2026-01-01', nothing: null, empty: '', nested: { b: [], a: {} } },
];

describe('powertoolsKey gives the id that Powertools gives', () => {
  it.each(PAYLOADS.map((payload) => [payload]))('a payload %j', async (payload) => {
    expect(keyOf({ payload: () => payload })).toBe(await idOfPowertools(payload, {}));
  });

  it.each(PAYLOADS.map((payload) => [payload]))('a part that an expression finds: %j', async (payload) => {
    const eventKeyJmesPath = 'order.value';
    const data = { order: { value: payload }, noise: Math.random() };
    expect(keyOf({ payload: () => data, eventKeyJmesPath })).toBe(
      await idOfPowertools(data, { eventKeyJmesPath }),
    );
  });

  it.each([
    'body',
    'messageId',
    '[messageId, attributes.MessageGroupId]',
    'powertools_json(body).orderId',
    'powertools_json(body).[tenant, lines[].sku]',
    '{ order: powertools_json(body).orderId, queue: eventSourceARN }',
  ])('an SQS record by %s, as processPartialResponse hands it to an idempotent handler', async (path) => {
    const event = sqsEvent([
      { messageId: 'm-1', body: { orderId: 'o-1', tenant: 't', lines: [{ sku: 'b' }, { sku: 'a' }] } },
      { messageId: 'm-2', body: { orderId: 'o-2', tenant: 't', lines: [] } },
    ]);
    const layer = new NotingLayer();
    const config = new IdempotencyConfig({ eventKeyJmesPath: path });
    const handleRecord = makeIdempotent(async () => undefined, { persistenceStore: layer, config });
    const context = lambdaContext();
    await processPartialResponse(event, handleRecord, new BatchProcessor(EventType.SQS), { context });

    const keys: string[] = [];
    const store = memoryStore();
    const processor = createBatchProcessor(
      async (_record, { idempotencyKey }) => {
        keys.push(idempotencyKey);
      },
      { store, key: powertoolsKey({ eventKeyJmesPath: path }), observer: { onEvent: () => undefined } },
    );
    expect(await processor(event, context)).toEqual({ batchItemFailures: [] });
    expect(keys).toEqual(layer.puts.map(({ idempotencyKey }) => idempotencyKey));
    expect(new Set(keys).size).toBe(2);
  });

  it('a whole EventBridge event', async () => {
    const event = eventBridgeEvent({ detail: { orderId: 'o-1' } });
    const key = powertoolsKey()({ source: 'eventbridge', raw: event } as unknown as BatchRecord);
    expect(key).toBe(await idOfPowertools(event, {}));
  });

  it('an argument that dataIndexArgument names', async () => {
    const layer = new NotingLayer();
    const charge = makeIdempotent(async (_customer: string, order: unknown) => order, {
      persistenceStore: layer,
      dataIndexArgument: 1,
    });
    await quietly(() => charge('c-1', { orderId: 'o-1', lines: [1, 2] }));
    const key = powertoolsKey({ payload: ({ body }) => body });
    const record = { source: 'sqs', body: { lines: [1, 2], orderId: 'o-1' } } as BatchRecord;
    expect(key(record)).toBe(layer.puts[0]?.idempotencyKey);
  });

  it.each([
    [{ keyPrefix: 'charges' }, 'charges#'],
    [{ keyPrefix: '  charges ' }, 'charges#'],
    [{ keyPrefix: ' ' }, `${FUNCTION_NAME}#`],
    [{}, `${FUNCTION_NAME}#`],
  ])('the prefix of %j', async (options, prefix) => {
    const key = keyOf({ ...options, payload: () => 'a' });
    expect(key.startsWith(prefix)).toBe(true);
    expect(key).toBe(await idOfPowertools('a', options));
  });

  it('the name of an operation after the function’s', () => {
    const layer = new NotingLayer();
    layer.configure({ config: new IdempotencyConfig({}), functionName: ' charge ' });
    const id = (
      layer as unknown as { getHashedIdempotencyKey(data: unknown): string }
    ).getHashedIdempotencyKey('a');
    expect(keyOf({ functionName: ' charge ', payload: () => 'a' })).toBe(id);
  });

  it('another hash, and functions of one’s own', async () => {
    class Own extends PowertoolsFunctions {
      funcUpper(text: string): string {
        return text.toUpperCase();
      }
    }
    const decorate = PowertoolsFunctions.signature({ argumentsSpecs: [['string']] });
    const descriptor = Object.getOwnPropertyDescriptor(Own.prototype, 'funcUpper') as PropertyDescriptor;
    decorate(Own.prototype, 'funcUpper', descriptor);
    Object.defineProperty(Own.prototype, 'funcUpper', descriptor);
    const options = { hashFunction: 'sha256', eventKeyJmesPath: 'upper(a)', jmesPathOptions: new Own() };
    const data = { a: 'b' };
    expect(keyOf({ ...options, payload: () => data })).toBe(await idOfPowertools(data, options));
  });

  it('the payload’s hash', async () => {
    const data = { id: 1, Amount: { b: 2, a: [1, null] } };
    const options = { eventKeyJmesPath: 'id', payloadValidationJmesPath: '[Amount, missing]' };
    const layer = await runOnce(data, options);
    const { payloadValidationJmesPath } = options;
    const validation = powertoolsValidation({ payloadValidationJmesPath, payload: () => data });
    expect(validation(RECORD)).toBe(layer.puts[0]?.payloadHash);
  });
});

describe('a selector of whole keys', () => {
  it('can choose between keys, and is taken at its word', async () => {
    const keys: string[] = [];
    const byOrderId = powertoolsKey({ eventKeyJmesPath: 'powertools_json(body).orderId' });
    const key = wholeKey(({ body, id, ...record }) =>
      (body as { orderId?: string }).orderId === undefined
        ? `none#${id}`
        : byOrderId({ body, id, ...record }),
    );
    const options = { store: memoryStore(), key, observer: { onEvent: () => undefined } };
    const processor = createBatchProcessor(async (_record, { idempotencyKey }) => {
      keys.push(idempotencyKey);
    }, options);
    const event = sqsEvent([{ body: { orderId: 'o' } }, { messageId: 'm', body: {} }]);
    expect(await processor(event)).toEqual({ batchItemFailures: [] });
    expect(keys).toEqual([byOrderId({ source: 'sqs', raw: event.Records[0] } as BatchRecord), 'none#m']);
  });
});

describe('powertoolsKey refuses', () => {
  it.each([[undefined], [null], [''], [[]], [{}], [[null, '']], [{ a: null }]])(
    'a record in which nothing is found: %j',
    (payload) => {
      expect(() => keyOf({ payload: () => payload })).toThrow(KeyError);
    },
  );

  it('an SQS record as a whole: it changes with every delivery', () => {
    const record = { source: 'sqs', raw: sqsEvent([{ body: {} }]).Records[0] } as unknown as BatchRecord;
    expect(() => powertoolsKey()(record)).toThrow(/changes with every delivery/);
  });

  it.each([
    [() => powertoolsKey({ eventKeyJmespath: 'a' } as never), /Unknown option `eventKeyJmespath`/],
    [() => powertoolsKey({ hashFunction: 'md55' }), /Expected `hashFunction`/],
    [() => powertoolsValidation({ payloadValidationJmesPath: '' }), /Expected `payloadValidationJmesPath`/],
  ])('options that cannot work (%#)', (make, message) => {
    expect(make).toThrow(message);
  });

  it('a namespace beside it, which would be put before nothing', () => {
    const options = { store: memoryStore(), namespace: 'n' };
    const make = (key = messageId()) => createBatchProcessor(async () => undefined, { ...options, key });
    expect(() => make(powertoolsKey({ eventKeyJmesPath: 'body' }))).toThrow(
      /Expected `namespace` to be absent/,
    );
    expect(() => make()).not.toThrow();
  });

  it('a key longer than a store takes, as of every selector', async () => {
    const invalid: unknown[] = [];
    const processor = createBatchProcessor(async () => undefined, {
      store: memoryStore(),
      key: powertoolsKey({ eventKeyJmesPath: 'messageId', keyPrefix: 'x'.repeat(2_040) }),
      observer: { onEvent: (event) => event.type === 'invalid' && invalid.push(event.error) },
    });
    await processor(sqsEvent([{ messageId: 'm', body: {} }]));
    expect(invalid).toEqual([expect.objectContaining({ code: 'BATCHLATCH_KEY' })]);
  });
});

const RECORD = { source: 'sqs' } as BatchRecord;

function keyOf(options: Parameters<typeof powertoolsKey>[0]): string {
  return powertoolsKey(options)(RECORD);
}

async function idOfPowertools(data: unknown, options: Record<string, unknown>): Promise<string> {
  const { puts } = await runOnce(data, options);
  return puts[0]?.idempotencyKey ?? 'none';
}

async function runOnce(
  data: unknown,
  { keyPrefix, ...config }: Record<string, unknown>,
): Promise<NotingLayer> {
  const layer = new NotingLayer();
  const run = makeIdempotent(async (_data: unknown) => undefined, {
    persistenceStore: layer,
    config: new IdempotencyConfig(config),
    ...(typeof keyPrefix === 'string' && { keyPrefix }),
  });
  await quietly(() => run(data));
  return layer;
}

/** Powertools warns of everything that has no Lambda context, and of 0 and false as keys. */
async function quietly<Result>(run: () => Promise<Result>): Promise<Result> {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    return await run();
  } finally {
    warn.mockRestore();
  }
}
