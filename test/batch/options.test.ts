import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  backoff,
  base64,
  type BatchEvent,
  type BatchProcessorOptions,
  ConfigurationError,
  createBatchProcessor,
  deadLetterQueue,
  gzip,
  heartbeat,
  payloadHash,
  runWithoutClaim,
  snsEnvelope,
  sqs,
  standardSchema,
  suspectsFirst,
  waitForOwner,
} from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { route } from 'batchlatch/messages';
import { manualClock, sqsEvent } from 'batchlatch/testing';
import { z } from 'zod';

const handler = (): undefined => undefined;
const store = memoryStore();

/** The error of creating a processor with these options; fails when there is none. */
function refusalOf(options: object | null, recordHandler: unknown = handler): ConfigurationError {
  try {
    createBatchProcessor(recordHandler as typeof handler, options as BatchProcessorOptions);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown;
    throw thrown;
  }
  throw new Error('It was accepted');
}

describe('An impossible option', () => {
  it.each<[keyof BatchProcessorOptions, unknown, string]>([
    ['store', {}, 'an object with acquire(), settle(), extend(), inspect(), got `{}` (object)'],
    ['store', null, 'an object with acquire(), settle(), extend(), inspect(), got `null` (object)'],
    ['store', 'claims', "got `'claims'` (string)"],
    ['store', { ...store, extend: undefined }, 'an object with acquire(), settle(), extend(), inspect()'],
    ['key', 'messageId', "a function, got `'messageId'` (string)"],
    ['key', {}, 'a function, got `{}` (object)'],
    ['namespace', '', "a non-empty string without `#`, or a function that gives one, got `''` (string)"],
    ['namespace', 'a#b', "got `'a#b'` (string)"],
    ['namespace', 7, 'got `7` (number)'],
    ['concurrency', 0, 'an integer from 1 up, got `0` (number)'],
    ['concurrency', -1, 'got `-1` (number)'],
    ['concurrency', 1.5, 'got `1.5` (number)'],
    ['concurrency', Number.NaN, 'got `NaN` (number)'],
    ['concurrency', Infinity, 'got `Infinity` (number)'],
    ['concurrency', '10', "got `'10'` (string)"],
    ['concurrency', null, 'got `null` (object)'],
    ['settleLingerMs', -1, 'an integer from 0 up, got `-1` (number)'],
    ['settleLingerMs', 0.5, 'got `0.5` (number)'],
    ['leaseMs', 0, 'an integer from 1 up, got `0` (number)'],
    ['leaseMs', 2 ** 53, 'got `9007199254740992` (number)'],
    [
      'retentionMs',
      999,
      'an integer from 1000 up, or an object { completed?, failed?, parked? } of these, got `999` (number)',
    ],
    ['retentionMs', null, 'got `null` (object)'],
    ['retentionMs', [], 'got `[]` (object)'],
    ['retentionMs', '4 days', "got `'4 days'` (string)"],
    ['deadlineMarginMs', -1, 'an integer from 0 up, got `-1` (number)'],
    ['recordTimeoutMs', 0, 'an integer from 1 up, got `0` (number)'],
    ['maxAttempts', 0, 'an integer from 1 up, got `0` (number)'],
    ['maxAttempts', false, 'got `false` (boolean)'],
    ['retryable', true, 'a function, got `true` (boolean)'],
    ['payloadValidation', ['amountCents'], 'a function, such as payloadHash({ include }), got `'],
    ['source', 'sqs', "a source, such as sqs() or allSources(), got `'sqs'` (string)"],
    ['source', sqs, 'a source, such as sqs() or allSources(), got `[Function: sqs]` (function)'],
    [
      'decode',
      'gzip',
      "a decode step, such as gzip() or decoder(), or a list of them, got `'gzip'` (string)",
    ],
    ['decode', [], 'or a list of them, got `[]` (object)'],
    ['decode', ['gzip'], 'or a list of them, got `'],
    ['decode', [gzip(), handler], 'or a list of them, got `'],
    ['decode', snsEnvelope, 'got `[Function: snsEnvelope]` (function)'],
    ['decode', handler, 'decoder(), or a list'],
    ['decode', true, 'got `true` (boolean)'],
    ['schema', z.object({}), 'the result of standardSchema(), got `'],
    ['schema', null, 'got `null` (object)'],
    ['visibility', true, 'the result of backoff(), got `true` (boolean)'],
    ['deadLetter', { queueUrl: 'http://127.0.0.1/dlq' }, 'the result of deadLetterQueue({ url }), got `'],
    ['heartbeat', backoff(), 'the result of heartbeat(), got `'],
    ['onConflict', { timeoutMs: 1 }, 'the result of waitForOwner({ timeoutMs }), got `'],
    ['onStoreError', 'run', "the result of runWithoutClaim(), got `'run'` (string)"],
    ['reading', true, 'the result of suspectsFirst(), got `true` (boolean)'],
    ['observer', {}, 'an object with onEvent(), got `{}` (object)'],
    ['observer', handler, 'an object with onEvent(), got `[Function: handler]` (function)'],
    ['clock', Date, 'an object with now(), setTimer(), got'],
  ])('is refused at start, by name: %s: %p', (name, value, expected) => {
    const { code, message } = refusalOf({ store, [name]: value });
    expect(code).toBe('BATCHLATCH_CONFIGURATION');
    expect(message).toContain(`Expected \`${name}\` to be `);
    expect(message).toContain(expected);
  });

  it.each([
    ['standardSchema', () => standardSchema({ parse: handler } as never)],
    ['standardSchema', () => standardSchema(null as never)],
    ['standardSchema', () => standardSchema({ '~standard': { version: 2, validate: handler } } as never)],
    ['standardSchema', () => standardSchema({ '~standard': { version: 1 } } as never)],
    ['deadLetterQueue: Expected `url` to be', () => deadLetterQueue({ url: 'dlq' })],
    ['deadLetterQueue: Expected `url` to be', () => deadLetterQueue({} as never)],
    ['heartbeat: Expected `intervalMs` to be', () => heartbeat({ intervalMs: 0 })],
    ['waitForOwner: Expected `timeoutMs` to be', () => waitForOwner({} as never)],
    ['waitForOwner: Unknown option `timeout`', () => waitForOwner({ timeoutMs: 1, timeout: 1 } as never)],
  ])('of a policy is refused by the function that makes it: %s', (message, make) => {
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  it.each([
    ['completed', 999, 'got `999` (number)'],
    ['failed', '4 days', "got `'4 days'` (string)"],
    ['parked', Infinity, 'got `Infinity` (number)'],
    ['parked', null, 'got `null` (object)'],
  ])('is named where it is a member of `retentionMs`: %s: %p', (name, value, got) => {
    const options = { store, retentionMs: { completed: 1_000, [name]: value } };
    expect(refusalOf(options).message).toBe(
      `Expected \`retentionMs.${name}\` to be an integer from 1000 up, ${got}`,
    );
  });

  it.each(['inProgress', 'parkedMs', 'ttl', 'constructor'])(
    'is a member of `retentionMs` that nobody knows: %s',
    (name) => {
      expect(refusalOf({ store, retentionMs: { [name]: 1_000 } }).message).toBe(
        `Unknown option \`retentionMs.${name}\`; known options are completed, failed, parked`,
      );
    },
  );

  it('is shown in a message that stays short', () => {
    const { message } = refusalOf({ store, key: 'x'.repeat(10_000) });
    expect(message.length).toBeLessThan(300);
  });
});

describe('An option that nobody knows', () => {
  it.each(['leaseMS', 'persistenceStore', 'constructor', '__proto__x', 'toString'])(
    'is an error that lists what there is: %s',
    (name) => {
      const { message } = refusalOf({ store, [name]: 1 });
      expect(message).toMatch(
        /^Unknown option `.+`; known options are store, source, key, namespace, concurrency, /,
      );
    },
  );

  it('is an error also when its value is undefined: it is misspelt all the same', () => {
    expect(refusalOf({ store, concurency: undefined }).message).toContain('known options are');
  });
});

describe('Options', () => {
  it('of every kind are accepted', () => {
    const options: Required<BatchProcessorOptions> = {
      store,
      key: ({ id }) => id,
      namespace: 'orders',
      concurrency: 1,
      settleLingerMs: 0,
      leaseMs: 1,
      retentionMs: 1_000,
      deadlineMarginMs: 0,
      recordTimeoutMs: 1,
      maxAttempts: 1,
      maxCrashes: 1,
      onLapsedLease: 'park',
      onStoreError: runWithoutClaim(),
      onConflict: waitForOwner({ timeoutMs: 1 }),
      sqs: { changeMessageVisibilityBatch: async () => ({}), sendMessage: async () => undefined },
      queueUrl: (queueArn) => `http://127.0.0.1/${queueArn}`,
      visibility: backoff({ baseDelayMs: 1, maxDelayMs: 1 }),
      deadLetter: deadLetterQueue({ url: 'http://127.0.0.1/dlq' }),
      heartbeat: heartbeat({ intervalMs: 1 }),
      retryable: () => true,
      payloadValidation: payloadHash({ include: ['amountCents', 'items.0.price'] }),
      source: sqs(),
      decode: [base64(), gzip(), snsEnvelope()],
      schema: standardSchema(z.object({})),
      reading: suspectsFirst(),
      observer: { onEvent: () => undefined },
      clock: manualClock(),
    };
    expect(createBatchProcessor(handler, options)).toBeInstanceOf(Function);
  });

  it.each([
    { retentionMs: {} },
    { retentionMs: { parked: 1_000 } },
    { retentionMs: { completed: 1_000, failed: 1_000, parked: 1_000 } },
    { retentionMs: { completed: undefined, parked: 1_000 } as never },
  ])('may say for each end how long it is remembered: %p', (options) => {
    expect(createBatchProcessor(handler, { store, ...options })).toBeInstanceOf(Function);
  });

  it('that are undefined take their defaults', () => {
    const options = { store, concurrency: undefined, key: undefined, observer: undefined };
    expect(createBatchProcessor(handler, options as unknown as BatchProcessorOptions)).toBeInstanceOf(
      Function,
    );
  });

  it('may be objects of classes', () => {
    class Store {
      acquire = store.acquire;
      settle = store.settle;
      extend = store.extend;
      inspect = store.inspect;
    }
    class Quiet {
      onEvent(): void {}
    }
    const options = { store: new Store(), observer: new Quiet() };
    expect(createBatchProcessor(handler, options)).toBeInstanceOf(Function);
  });

  it.each([null, 7, 'orders'])('that are no object are refused: %p', (options) => {
    expect(refusalOf(options as object | null).message).toContain(
      'Expected the options to be an object, got',
    );
  });

  it.each([undefined, null, 'index.handler', {}])(
    'need a record handler that is a function, not %p',
    (given) => {
      const refuse = (): unknown => createBatchProcessor(given as typeof handler, { store });
      expect(refuse).toThrow('Expected the record handler to be a function');
    },
  );

  it.each([function* () {}, async function* () {}])(
    'refuse a generator, which would do nothing and acknowledge every record: %p',
    (given) => {
      const why = 'to be a function, got a generator';
      expect(() => createBatchProcessor(given as never, { store })).toThrow(`the record handler ${why}`);
      const batches = (): unknown => createBatchProcessor.forBatches(given as never, { store });
      expect(batches).toThrow(`the batch handler ${why}`);
      expect(() => route(given, {})).toThrow(`the handler of route ${why}`);
      const keyed = { namespace: 'n', key: () => 'k', store };
      expect(() => withIdempotency(given as never, keyed)).toThrow(`the first argument ${why}`);
    },
  );
});

describe('The environment', () => {
  const names = ['CLAIMS_TABLE_NAME', 'AWS_LAMBDA_FUNCTION_NAME', 'BATCHLATCH_LOG_LEVEL'];
  const before = names.map((name) => process.env[name]);
  beforeEach(() => {
    for (const name of names) delete process.env[name];
  });
  afterEach(() => {
    names.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    });
  });

  it.each([undefined, ''])(
    'of a function has to name the claims table where there is no store: %p',
    (tableName) => {
      process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'orders';
      if (tableName !== undefined) process.env['CLAIMS_TABLE_NAME'] = tableName;
      const { code, message } = refusalOf({});
      expect(code).toBe('BATCHLATCH_CONFIGURATION');
      expect(message).toContain('set CLAIMS_TABLE_NAME');
      expect(message).toContain('or pass `store`');
    },
  );

  it('need not, where there is one', () => {
    process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'orders';
    expect(createBatchProcessor(handler, { store })).toBeInstanceOf(Function);
  });

  it.each(['verbose', 'all', '0'])('cannot ask for a log level of %p', (level) => {
    process.env['BATCHLATCH_LOG_LEVEL'] = level;
    expect(refusalOf({ store }).message).toBe(
      `Expected BATCHLATCH_LOG_LEVEL to be one of debug, info, warn, error, silent, got \`${level}\``,
    );
  });

  it.each(['', 'debug', 'INFO', 'Silent'])('can ask for a log level of %p', (level) => {
    process.env['BATCHLATCH_LOG_LEVEL'] = level;
    expect(createBatchProcessor(handler, { store })).toBeInstanceOf(Function);
  });

  it('is not asked for a log level by those who bring their own observer', () => {
    process.env['BATCHLATCH_LOG_LEVEL'] = 'verbose';
    const observer = { onEvent: () => undefined };
    expect(createBatchProcessor(handler, { store, observer })).toBeInstanceOf(Function);
  });
});

it('takes options that are inherited', async () => {
  const types: string[] = [];
  const shared = {
    store: memoryStore(),
    retryable: () => false,
    observer: { onEvent: ({ type }: BatchEvent) => void types.push(type) },
  };
  const processor = createBatchProcessor(
    () => {
      throw new Error('The card was declined');
    },
    Object.create(shared) as BatchProcessorOptions,
  );
  await processor(sqsEvent([{ body: {} }]));
  expect(types).toContain('parked');
});
