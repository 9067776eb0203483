import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type BatchEvent,
  type BatchProcessorOptions,
  jsonLines,
  type LogLevel,
  payloadHash,
  PermanentError,
  type RecordHandler,
  snsEnvelope,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import { type Bench, bench, deferred, fifo, forever, messages } from '../batch/bench.ts';

const record = { recordId: 'm-1', key: 'orders#v1:secret' };
const attempt = { ...record, owner: 'owner-1', attempt: 2 };
const error = new Error('declined');

/** One of each, with the level it is written at. */
const leveled: readonly [level: LogLevel, event: BatchEvent][] = [
  ['debug', { type: 'claimed', ...attempt, leaseUntil: 1, durationMs: 2 }],
  ['debug', { type: 'duplicate', ...record, within: 'store' }],
  ['debug', { type: 'started', ...attempt }],
  ['debug', { type: 'succeeded', ...attempt, durationMs: 2 }],
  ['info', { type: 'settling', ends: [{ ...attempt, end: 'complete' }] }],
  ['info', { type: 'conflict', ...record, leaseUntil: 1 }],
  ['info', { type: 'notStarted', ...record, reason: 'order' }],
  ['info', { type: 'batchFinished', records: 1, outcomes: { completed: 1 }, durationMs: 2 }],
  ['warn', { type: 'tookOver', ...attempt, crashes: 1 }],
  ['warn', { type: 'failed', ...attempt, durationMs: 2, error }],
  ['warn', { type: 'invalid', recordId: 'm-1', error }],
  ['warn', { type: 'mismatch', ...record }],
  ['warn', { type: 'abandoned', ...attempt, durationMs: 2, error }],
  ['warn', { type: 'resultDropped', ...attempt, error }],
  ['warn', { type: 'settleDelayed', error }],
  ['error', { type: 'parked', ...record, error }],
  ['error', { type: 'claimFailed', ...record, error }],
  ['error', { type: 'leaseLost', ...attempt, effectDone: true }],
  ['error', { type: 'settleFailed', ...attempt, effectDone: true, error }],
  ['error', { type: 'stuck', ...attempt, sinceAbortMs: 5_000, hasEnded: false }],
  ['warn', { type: 'stuck', ...attempt, sinceAbortMs: 5_000, hasEnded: true }],
];
const events = leveled.map(([, event]) => event);
const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

type Line = Record<string, unknown>;

/** What is written of these events. */
function linesOf(given: readonly BatchEvent[], level: LogLevel = 'debug'): Line[] {
  const lines: string[] = [];
  const observer = jsonLines({ level, write: (line) => void lines.push(line) });
  for (const event of given) observer.onEvent(event);
  return lines.map((line) => JSON.parse(line) as Line);
}

describe('JSON lines', () => {
  it.each(leveled)('are written at the level %s: %p', (level, event) => {
    const [line] = linesOf([event]);
    expect(line).toMatchObject({ level, message: event.type });
  });

  it.each(LEVELS)('are left out below the level that is asked for: %s', (level) => {
    const least = LEVELS.indexOf(level);
    const expected = leveled.filter(([its]) => LEVELS.indexOf(its) >= least).map(([, { type }]) => type);
    expect(linesOf(events, level).map(({ message }) => message)).toEqual(expected);
  });

  it('are none at all for `silent`', () => {
    expect(linesOf(events, 'silent')).toEqual([]);
  });

  it('carry what tells the record, the attempt and its owner, and the hash of its key', () => {
    const [line] = linesOf([{ type: 'leaseLost', ...attempt, effectDone: true }]);
    expect(line).toMatchObject({
      level: 'error',
      message: 'leaseLost',
      recordId: 'm-1',
      owner: 'owner-1',
      attempt: 2,
      effectDone: true,
      key: '7716c378c54d3f76',
    });
  });

  it('carry the hashes of all keys that are settled together', () => {
    const other = { ...attempt, recordId: 'm-2', key: 'orders#v1:other' };
    const [line] = linesOf([
      {
        type: 'settling',
        ends: [
          { ...attempt, end: 'complete' },
          { ...other, end: 'fail' },
        ],
      },
    ]);
    const { ends } = line as { ends: Line[] };
    expect(ends.map(({ end }) => end)).toEqual(['complete', 'fail']);
    for (const { key } of ends) expect(key).toMatch(/^[0-9a-f]{16}$/);
    expect(ends[0]?.['key']).not.toBe(ends[1]?.['key']);
  });

  it('show an error as its name, message, code and cause, and never its stack', () => {
    const cause = new TypeError('socket hang up');
    const failure = Object.assign(new Error('declined', { cause }), {
      code: 'CARD_DECLINED',
      body: 'secret',
    });
    const [line] = linesOf([{ type: 'failed', ...attempt, durationMs: 2, error: failure }]);
    expect(line?.['error']).toEqual({
      name: 'Error',
      message: 'declined',
      code: 'CARD_DECLINED',
      cause: { name: 'TypeError', message: 'socket hang up' },
    });
  });

  it.each<[string, unknown, unknown]>([
    ['a text', 'out of stock', { name: 'NonError', message: 'out of stock' }],
    ['a number', 404, { name: 'NonError', message: '404' }],
    ['undefined', undefined, { name: 'NonError', message: 'undefined' }],
    ['null', null, { name: 'NonError', message: 'null' }],
    ['a big integer', 10n, { name: 'NonError', message: '10' }],
    ['a symbol', Symbol('stop'), { name: 'NonError', message: 'Symbol(stop)' }],
    ['an object', { body: 'secret' }, { name: 'NonError', message: '[object Object]' }],
    [
      'an object that says why',
      { code: 'DECLINED', reason: 'no funds', body: 'secret' },
      { name: 'NonError', message: '{"code":"DECLINED","reason":"no funds"}', code: 'DECLINED' },
    ],
    ['an object that refers to itself', selfReferring(), { name: 'NonError', message: '[object Object]' }],
    [
      'an error with a code that JSON cannot hold',
      Object.assign(new Error('no'), { code: 10n }),
      {
        name: 'Error',
        message: 'no',
      },
    ],
    ['an error whose cause cannot be read', withoutCause(), { name: 'Error', message: 'declined' }],
    ['a proxy that was revoked', revoked(), { name: 'NonError', message: 'a value that cannot be read' }],
    ['an error that says itself what JSON it is', selfDescribing(), { name: 'Error', message: 'declined' }],
  ])(
    'are written whatever a handler throws, and do not show what is inside of it: %s',
    (_, thrown, shown) => {
      const [line] = linesOf([{ type: 'failed', ...attempt, durationMs: 2, error: thrown }]);
      expect(line?.['error']).toEqual(shown);
    },
  );

  it('do not repeat the text that a parser could not read', () => {
    const unread = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch (thrown) {
        return thrown;
      }
    };
    for (const text of [
      '4111 1111 1111 1111',
      '{"card": 4111 1111}',
      '"4111',
      'card4111',
      '["4111", card]',
    ]) {
      const cause = unread(text);
      const lines = linesOf([
        { type: 'invalid', recordId: 'm-1', error: cause },
        { type: 'invalid', recordId: 'm-1', error: new Error('no key', { cause }) },
      ]);
      expect(lines).toHaveLength(2);
      // The time may contain any three digits.
      const timeless = lines.map((line) => ({ ...(line as object), timestamp: '' }));
      expect(JSON.stringify(timeless)).not.toContain('411');
      expect(JSON.stringify(lines)).toContain('SyntaxError');
    }
  });

  it('show the hash of the key also where an error names the key', () => {
    const cause = new Error(`Key (id)=(${attempt.key}) already exists`);
    const failure = new Error(`The row "${attempt.key}" is not a claim`, { cause });
    const [line] = linesOf([{ type: 'claimFailed', ...record, error: failure }]);
    expect(line).toMatchObject({
      key: '7716c378c54d3f76',
      error: {
        message: 'The row "7716c378c54d3f76" is not a claim',
        cause: { message: 'Key (id)=(7716c378c54d3f76) already exists' },
      },
    });
  });

  it('are one line each, whatever a message holds', () => {
    const lines: string[] = [];
    const observer = jsonLines({ level: 'debug', write: (line) => void lines.push(line) });
    observer.onEvent({ type: 'failed', ...attempt, durationMs: 2, error: new Error('a\nb\r\nc\u2028d') });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\n\r\u2028]/);
  });

  it('escape what terminals act upon, or turns the direction of a line', () => {
    const lines: string[] = [];
    const observer = jsonLines({ level: 'debug', write: (line) => void lines.push(line) });
    const unseen = '\u007F\u0080\u009B\u009F\u061C\u200E\u200F\u2028\u2029\u202A\u202E\u2066\u2069';
    observer.onEvent({ type: 'failed', ...attempt, durationMs: 2, error: new Error(`a${unseen}ä`) });
    const escaped = Array.from(
      unseen,
      (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
    expect(lines[0]).toContain(`"a${escaped.join('')}ä"`);
    expect((JSON.parse(lines[0] ?? '') as { error: Error }).error.message).toBe(`a${unseen}ä`);
  });

  it('name the invocation by its request id, where there is one', async () => {
    const lines: Line[] = [];
    const observer = jsonLines({
      level: 'debug',
      write: (line) => void lines.push(JSON.parse(line) as Line),
    });
    const b = bench();
    const process = b.processor(() => 'done', { observer });
    await process(messages('a'), { ...b.lambda(60_000), awsRequestId: 'request-1' });
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(line).toMatchObject({ requestId: 'request-1', function: 'test-function', source: 'sqs' });
    }
    lines.length = 0;
    await process(messages('b'));
    expect(lines.some((line) => 'requestId' in line)).toBe(false);
  });

  it('are told of one invocation by one object, of each by its own', async () => {
    const told = new Set<unknown>();
    const b = bench();
    const process = b.processor(() => 'done', {
      observer: { onEvent: (_event, invocation) => void told.add(invocation) },
    });
    await process(messages('a', 'b'), { ...b.lambda(60_000), awsRequestId: '1' });
    await process(messages('c'), { ...b.lambda(60_000), awsRequestId: '2' });
    expect([...told]).toMatchObject([{ requestId: '1' }, { requestId: '2' }]);
  });

  it('refuse a level that nobody knows', () => {
    expect(() => jsonLines({ level: 'verbose' as LogLevel })).toThrow(
      "jsonLines: Expected `level` to be 'debug' or 'info' or 'warn' or 'error' or 'silent', got `'verbose'`",
    );
  });
});

describe('The default observer', () => {
  const before = process.env['BATCHLATCH_LOG_LEVEL'];
  let written: string[] = [];
  beforeEach(() => {
    written = [];
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    if (before === undefined) delete process.env['BATCHLATCH_LOG_LEVEL'];
    else process.env['BATCHLATCH_LOG_LEVEL'] = before;
  });

  const byDefault: BatchProcessorOptions = { observer: undefined as never };

  it.each<[string | undefined, string[]]>([
    [undefined, ['settling', 'batchFinished']],
    ['', ['settling', 'batchFinished']],
    ['debug', ['claimed', 'started', 'succeeded', 'settling', 'batchFinished']],
    ['DEBUG', ['claimed', 'started', 'succeeded', 'settling', 'batchFinished']],
    ['warn', []],
    ['silent', []],
  ])('writes to standard output, by BATCHLATCH_LOG_LEVEL: %p', async (level, expected) => {
    if (level === undefined) delete process.env['BATCHLATCH_LOG_LEVEL'];
    else process.env['BATCHLATCH_LOG_LEVEL'] = level;
    await bench().run(() => 'done', ['a'], byDefault);
    for (const chunk of written) expect(chunk).toMatch(/^\{.*\}\n$/);
    expect(written.map((chunk) => (JSON.parse(chunk) as Line)['message'])).toEqual(expected);
  });
});

describe('What must not be in a log', () => {
  const SECRET = 'TOPSECRET-4111-1111';
  const body = { card: SECRET };

  /** Every line at `debug` of what `act` does with a bench that keys its records by the secret in them. */
  async function linesAtDebug(
    act: (b: Bench, options: BatchProcessorOptions) => Promise<unknown>,
    makeStore?: Parameters<typeof bench>[0],
  ): Promise<string[]> {
    const lines: string[] = [];
    const observer = jsonLines({ level: 'debug', write: (line) => void lines.push(line) });
    const b = bench(makeStore);
    const key: BatchProcessorOptions['key'] = ({ id }) => `${SECRET}-${id}`;
    await act(b, { observer, key });
    return lines;
  }
  const secret = (...ids: string[]): ReturnType<typeof sqsEvent> =>
    sqsEvent(ids.map((messageId) => ({ messageId, body })));
  const rejecting = (error: unknown): RecordHandler => {
    return async () => {
      throw error;
    };
  };

  it.each<[string, (b: Bench, options: BatchProcessorOptions) => Promise<unknown>, string[]]>([
    [
      'a success, and its duplicates',
      async (b, options) => {
        const process = b.processor(() => ({ paid: SECRET }), options);
        await process(secret('a', 'b', 'a'));
        await process(secret('a'));
      },
      ['claimed', 'started', 'succeeded', 'settling', 'duplicate', 'batchFinished'],
    ],
    [
      'a failure',
      (b, options) => b.processor(rejecting(new Error('declined')), options)(secret('a')),
      ['failed'],
    ],
    [
      'a failure with the body',
      (b, options) => b.processor(rejecting(body), options)(secret('a')),
      ['failed'],
    ],
    [
      'a failure that carries the body',
      (b, options) =>
        b.processor(rejecting(Object.assign(new Error('declined'), { request: body })), options)(secret('a')),
      ['failed'],
    ],
    [
      'a failure that was caused by what carries the body',
      (b, options) => {
        const cause = Object.assign(new Error('400'), { request: body });
        return b.processor(rejecting(new Error('declined', { cause })), options)(secret('a'));
      },
      ['failed'],
    ],
    [
      'a failure whose JSON is the whole request',
      (b, options) => {
        const toJSON = (): object => ({ config: { data: body }, stack: new Error(SECRET).stack });
        const failure = Object.assign(new Error('declined'), { toJSON });
        return b.processor(rejecting(failure), options)(secret('a'));
      },
      ['failed'],
    ],
    [
      'a parked record, and finding it',
      async (b, options) => {
        const process = b.processor(rejecting(new PermanentError('unknown product')), options);
        await process(secret('a'));
        await process(secret('a'));
      },
      ['parked'],
    ],
    [
      'a conflict',
      (b, options) =>
        b.processor(async () => {
          await b.processor(() => 'done', options)(secret('a'));
        }, options)(secret('a')),
      ['conflict'],
    ],
    [
      'a mismatch',
      async (b, options) => {
        const process = b.processor(() => 'done', {
          ...options,
          payloadValidation: payloadHash({ include: ['card'] }),
        });
        await process(secret('a'));
        await process(sqsEvent([{ messageId: 'a', body: { card: `${SECRET}-other` } }]));
      },
      ['mismatch'],
    ],
    [
      'a record without a key',
      (b, { observer }) => {
        const process = b.processor(() => 'done', {
          observer: observer as NonNullable<typeof observer>,
          key: jmesPath('powertools_json(body).orderId'),
        });
        return process(
          sqsEvent([
            { messageId: 'a', body },
            { messageId: 'b', body: `${SECRET} is no JSON` },
          ]),
        );
      },
      ['invalid'],
    ],
    [
      'a body that is no JSON, in a handler that expects it',
      (b, options) =>
        b.processor(
          ({ rawBody }) => JSON.parse(rawBody) as unknown,
          options,
        )(sqsEvent([{ messageId: 'a', body: `{"card": ${SECRET}}` }])),
      ['failed'],
    ],
    [
      'a body that is no JSON, in a key that expects it',
      (b, { observer }) =>
        b.processor(() => 'done', {
          observer: observer as NonNullable<typeof observer>,
          key: ({ rawBody }) => JSON.parse(rawBody) as string,
        })(sqsEvent([{ messageId: 'a', body: `{"card": ${SECRET}}` }])),
      ['invalid'],
    ],
    [
      'a body that is no JSON, in the words of another error',
      (b, options) =>
        b.processor(({ rawBody }) => {
          try {
            JSON.parse(rawBody);
          } catch (cause) {
            throw new Error(`not an order: ${String(cause)}`, { cause });
          }
        }, options)(sqsEvent([{ messageId: 'a', body: `{"card": ${SECRET}}` }])),
      ['failed'],
    ],
    [
      'an envelope that is none',
      (b, options) => b.processor(() => 'done', { ...options, decode: snsEnvelope() })(secret('a')),
      ['invalid'],
    ],
    [
      'a lost lease',
      async (b, options) => {
        const end = deferred();
        const answer = b.processor(() => end.promise, { ...options, leaseMs: 1_000 })(secret('a'));
        await b.clock.advance(1_000);
        await b.processor(() => 'second', options)(secret('a'));
        end.resolve();
        await answer;
      },
      ['tookOver', 'leaseLost'],
    ],
    [
      'a handler that hangs, and what its group holds back',
      async (b, options) => {
        const event = fifo('a1', 'a2');
        for (const one of event.Records) one.body = JSON.stringify(body);
        const answer = b.processor(forever, options)(event, b.lambda(3_000));
        await b.clock.advance(2_500);
        await answer;
      },
      ['abandoned', 'notStarted'],
    ],
    [
      'a result that cannot be kept',
      (b, options) => b.processor(() => ({ paid: SECRET, at: 10n }), options)(secret('a')),
      ['resultDropped'],
    ],
  ])('is in no line: %s', async (_, act, expected) => {
    const lines = await linesAtDebug(act);
    expect(lines.map((line) => (JSON.parse(line) as Line)['message'])).toEqual(
      expect.arrayContaining(expected),
    );
    expectNoSecretIn(lines);
  });

  it.each<[string, Parameters<typeof bench>[0], string]>([
    [
      'gives no claims',
      (clock) => ({ ...memoryStore({ clock }), acquire: () => Promise.reject(new Error('throttled')) }),
      'claimFailed',
    ],
    [
      'stores no ends',
      (clock) => ({ ...memoryStore({ clock }), settle: () => Promise.reject(new Error('throttled')) }),
      'settleFailed',
    ],
  ])('is in no line when the store %s', async (_, makeStore, expected) => {
    const lines = await linesAtDebug(async (b, options) => {
      const answer = b.processor(() => 'done', options)(secret('a'));
      await b.clock.advance(5_000);
      await answer;
    }, makeStore);
    expect(lines.map((line) => (JSON.parse(line) as Line)['message'])).toContain(expected);
    expectNoSecretIn(lines);
  });

  it('is in no line of a batch that was stored nowhere', async () => {
    const lines = await linesAtDebug((b, options) => b.processor(() => 'done', options)(messages()));
    expectNoSecretIn(lines);
  });

  function expectNoSecretIn(lines: readonly string[]): void {
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).not.toContain(SECRET.slice(0, 6));
      expect(line).not.toMatch(/\bat .*\.(ts|js|mjs):\d+/); // a stack
      expect(line).not.toContain('"stack"');
    }
  }
});

/** As HTTP clients make them. */
function withoutCause(): Error {
  return Object.defineProperty(new Error('declined'), 'cause', {
    get() {
      throw new Error('the connection is closed');
    },
  });
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error('declined'), {});
  revoke();
  return proxy;
}

function selfDescribing(): Error {
  const error = new Error('declined');
  return Object.assign(error, {
    toJSON: () => ({ message: error.message, stack: error.stack, config: { data: 'secret' } }),
  });
}

function selfReferring(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
