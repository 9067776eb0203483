import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  base64,
  type BatchProcessorOptions,
  type BatchRecord,
  DecodeError,
  type Decoder,
  decoder,
  type DecodeStep,
  eventBridgeEnvelope,
  gzip,
  payloadHash,
  PermanentError,
  type RecordHandler,
  s3Envelope,
  snsEnvelope,
  standardSchema,
} from 'batchlatch';
import {
  dynamoDBStreamEvent,
  eventBridgeEvent,
  kinesisEvent,
  s3Event,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';
import { z } from 'zod';
import { bench, deferred, failed, fifo, ids, messages } from './bench.ts';

const zipped = (body: unknown): string => gzipSync(JSON.stringify(body)).toString('base64');
const inBase64 = (text: string): string => Buffer.from(text).toString('base64');

/** The records that a handler gets of an event. */
async function recordsOf(
  event: unknown,
  decode: DecodeStep | DecodeStep[],
  options: object = {},
): Promise<BatchRecord[]> {
  const seen: BatchRecord[] = [];
  const handler: RecordHandler = (record) => void seen.push(record);
  await bench().processor(handler, { decode, ...options })(event);
  return seen;
}

describe('A body that is decoded', () => {
  const order = { orderId: 'A' };

  it.each<[string, unknown, DecodeStep | DecodeStep[]]>([
    ['base64 in SQS', sqsEvent([{ body: inBase64('{"orderId":"A"}') }]), base64()],
    [
      'base64 in several lines',
      sqsEvent([{ body: inBase64('{"orderId":"A"}').replaceAll(/.{8}/g, '$&\r\n') }]),
      base64(),
    ],
    ['gzip in SQS', sqsEvent([{ body: zipped(order) }]), gzip()],
    ['gzip in SNS', snsEvent([{ message: zipped(order) }]), gzip()],
    ['gzip in Kinesis, as bytes', kinesisEvent([{ body: gzipSync('{"orderId":"A"}') }]), gzip()],
    [
      'base64 in gzip',
      sqsEvent([{ body: gzipSync(inBase64('{"orderId":"A"}')).toString('base64') }]),
      [gzip(), base64()],
    ],
    ['a decoder of the user', sqsEvent([{ body: 'A' }]), decoder((data) => `{"orderId":"${String(data)}"}`)],
    [
      'one that takes its time',
      sqsEvent([{ body: 'A' }]),
      decoder(async (data) => `{"orderId":"${String(data)}"}`),
    ],
  ])('is what the handler gets: %s', async (_, event, decode) => {
    const [record] = await recordsOf(event, decode);
    expect(record).toMatchObject({ body: order, rawBody: '{"orderId":"A"}' });
  });

  it('leaves what was delivered in `raw`', async () => {
    const event = sqsEvent([{ body: zipped(order) }]);
    const [record] = await recordsOf(event, gzip());
    expect(record?.raw).toBe(event.Records[0]);
  });

  it('may be no JSON', async () => {
    expect((await recordsOf(sqsEvent([{ body: inBase64('text') }]), base64()))[0]?.body).toBe('text');
  });

  it('is taken out of its envelope after that', async () => {
    const event = sqsEvent([{ body: zipped(eventBridgeEvent(order, { id: 'e' })) }]);
    const [record] = await recordsOf(event, [gzip(), eventBridgeEnvelope()]);
    expect(record).toMatchObject({ body: order, envelope: { id: 'e' } });
  });

  it('may have been put into an envelope, and another before that', async () => {
    const event = eventBridgeEvent(order, { id: 'e', source: 'shop' });
    const sent = snsEvent([{ message: zipped(event), messageId: 'n', subject: 's' }]).Records[0]?.Sns;
    const decode = [snsEnvelope(), gzip(), eventBridgeEnvelope()];
    const [record] = await recordsOf(sqsEvent([{ body: sent }]), decode);
    expect(record).toMatchObject({
      body: order,
      envelope: { id: 'e', attributes: { Subject: 's', source: 'shop' } },
      rawBody: JSON.stringify(event),
    });
  });

  it('may be all that is in its envelopes', async () => {
    const notification = snsEvent([{ message: zipped(order), messageId: 'n' }]).Records[0]?.Sns;
    const b = bench();
    const event = sqsEvent([{ messageId: 'm', body: notification }]);
    await b.processor(() => 'done', { decode: [snsEnvelope(), gzip()] })(event);
    expect((await b.claim('n'))?.status).toBe('COMPLETED');
    const sent = eventBridgeEvent(inBase64('{"orderId":"A"}'));
    const decode = [eventBridgeEnvelope(), base64()];
    expect(await recordsOf(sqsEvent([{ body: sent }]), decode)).toMatchObject([{ body: order }]);
  });

  it('keeps its numbers exact inside envelopes', async () => {
    const b = bench();
    const inner = `{"eth":1.000000000000000001}`;
    const text = JSON.stringify(eventBridgeEvent({})).replace('"detail":{}', `"detail":${inner}`);
    const body = gzipSync(text).toString('base64');
    const options = { decode: [gzip(), eventBridgeEnvelope()], key: payloadHash() };
    expect(failed(await b.processor(() => 'done', options)(sqsEvent([{ messageId: 'a', body }])))).toEqual([
      'a',
    ]);
    expect(b.eventsOf('invalid')).toMatchObject([{ error: { message: expect.stringContaining('`eth`') } }]);
  });

  it('is nothing to run where S3 tries out the queue, in an envelope before a decoder too', async () => {
    const decode = [s3Envelope(), gzip()];
    expect(await recordsOf(sqsEvent([{ body: { Event: 's3:TestEvent' } }]), decode)).toEqual([]);
  });

  it('is what keys are made of', async () => {
    const b = bench();
    let runs = 0;
    const process = b.processor(() => (runs += 1), { decode: gzip(), key: payloadHash() });
    const event = sqsEvent([{ body: zipped({ a: 1, b: 2 }) }, { body: zipped({ b: 2, a: 1 }) }]);
    expect(failed(await process(event))).toEqual([]);
    expect(runs).toBe(1);
  });

  it('is told apart from one that is not JSON by what it was decoded to', async () => {
    const key = payloadHash();
    const process = bench().processor(() => 'done', { decode: base64(), key });
    const event = sqsEvent([
      { messageId: 'json', body: inBase64('"text"') },
      { messageId: 'text', body: inBase64('text') },
    ]);
    expect(failed(await process(event))).toEqual(['text']);
  });

  it.each([
    ['EventBridge', eventBridgeEvent(order)],
    ['a DynamoDB stream', dynamoDBStreamEvent([{ keys: { id: 'A' } }])],
    ['S3', s3Event([{ key: 'a' }])],
  ])('is none of %s, which delivers an object', async (_, event) => {
    const decode: Decoder = () => {
      throw new Error('must not be asked');
    };
    expect(await recordsOf(event, decoder(decode))).toHaveLength(1);
  });

  it('is decoded beside others, as many as run at once, and at most 50', async () => {
    let running = 0;
    let most = 0;
    const decode: Decoder = async (data) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      running -= 1;
      return data;
    };
    expect(await recordsOf(messages(...ids(20)), decoder(decode), { concurrency: 3 })).toHaveLength(20);
    expect(most).toBe(3);
    expect(await recordsOf(messages(...ids(80)), decoder(decode), { concurrency: 100 })).toHaveLength(80);
    expect(most).toBe(50);
  });
});

describe('The parsed form of a body', () => {
  /** Whether the handler sees the very object that the key was made of, and what it sees. */
  async function isKept(text: string, options: BatchProcessorOptions = {}): Promise<[boolean, unknown]> {
    let seen: unknown;
    let answer: [boolean, unknown] | undefined;
    const handler: RecordHandler = ({ body }) => void (answer = [body === seen, body]);
    const key = ({ id, body }: BatchRecord): string => {
      seen = body;
      return id;
    };
    await bench().processor(handler, { key, ...options })(sqsEvent([{ body: text }]));
    return answer ?? [false, undefined];
  }
  const long = { text: 'x'.repeat(256 * 1_024) };

  it('is made once for a key and a handler where the text is short', async () => {
    expect(await isKept('{"orderId":"A"}')).toEqual([true, { orderId: 'A' }]);
  });

  it.each<[string, string, BatchProcessorOptions]>([
    ['as it was delivered', JSON.stringify(long), {}],
    ['decoded', zipped(long), { decode: gzip() }],
    ['in an envelope', JSON.stringify(eventBridgeEvent(long)), { decode: eventBridgeEnvelope() }],
  ])('is made again for the handler where the text is long: %s', async (_, text, options) => {
    expect(await isKept(text, options)).toEqual([false, long]);
  });

  it('is what the schema made of it for as long as the handler may ask', async () => {
    const schema = z.object({ text: z.string().transform((text) => text.length) });
    const seen: unknown[] = [];
    const records: BatchRecord[] = [];
    const b = bench();
    const handler = (record: BatchRecord): void => {
      records.push(record);
      seen.push(record.body);
    };
    await b.processor(handler, { schema: standardSchema(schema) })(
      sqsEvent([{ body: JSON.stringify(long) }]),
    );
    expect([...seen, records[0]?.body]).toEqual([{ text: 262_144 }, { text: 262_144 }]);
  });
});

describe('A body that cannot be decoded', () => {
  it.each<[string, Decoder, string, string]>([
    ['no base64', base64(), 'not base64!', 'not base64'],
    ['half a base64', base64(), 'QUJDR', 'not base64'],
    ['words', base64(), 'two word', 'not base64'],
    ['no gzip', gzip(), inBase64('text'), 'not gzip'],
    ['half a gzip', gzip(), inBase64('text').slice(0, 4), 'not gzip'],
    ['gzip without base64', gzip(), 'not base64!', 'not base64'],
    ['a bomb', gzip({ maxBytes: 1_000 }), zipped('0'.repeat(1_001)), 'inflates to more than 1000 bytes'],
    [
      'a bomb of the usual size',
      gzip(),
      zipped('0'.repeat(11_000_000)),
      'inflates to more than 10485760 bytes',
    ],
    [
      'base64 that is too long',
      base64({ maxBytes: 1_000 }),
      inBase64('x'.repeat(1_001)),
      'more than 1000 bytes',
    ],
    [
      'JSON too deep to be walked',
      base64(),
      inBase64(`${'[['.repeat(140_000)}${']]'.repeat(140_000)}`),
      'nested deeper than 500 levels',
    ],
    ['no UTF-8', base64(), Buffer.from([0xff, 0xfe]).toString('base64'), 'not UTF-8'],
  ])('makes its record alone invalid: %s', async (_, decode, body, message) => {
    const b = bench();
    const lenient: Decoder = (data, record, options) =>
      record.id === 'bad' ? decode(data, record, options) : data;
    const event = sqsEvent([
      { messageId: 'bad', body },
      { messageId: 'good', body: {} },
    ]);
    expect(failed(await b.processor(() => 'done', { decode: decoder(lenient) })(event))).toEqual(['bad']);
    const [invalid] = b.eventsOf('invalid');
    expect(invalid).toMatchObject({
      recordId: 'bad',
      error: { code: 'BATCHLATCH_DECODE', isRetryable: false },
    });
    expect(invalid).toMatchObject({ error: { message: expect.stringContaining(message) } });
    expect(b.eventsOf('claimed')).toHaveLength(1);
  });

  it('inflates up to the bound', async () => {
    const body = 'x'.repeat(1_000);
    expect(
      await recordsOf(sqsEvent([{ body: gzipSync(body).toString('base64') }]), gzip({ maxBytes: 1_000 })),
    ).toMatchObject([{ body }]);
  });

  it.each<[string, Error, 'failed' | 'invalid']>([
    ['an error of whatever kind', new Error('S3 does not answer'), 'failed'],
    ['one that may pass', new DecodeError('throttled', { isRetryable: true }), 'failed'],
    ['one that will not', new DecodeError('gone', { isRetryable: false }), 'invalid'],
    ['one that is permanent', new PermanentError('unknown version'), 'invalid'],
  ])('is handed back, as what the decoder says: %s', async (_, thrown, outcome) => {
    const b = bench();
    const decode: Decoder = () => Promise.reject(thrown);
    expect(await b.run(() => 'done', ['m'], { decode: decoder(decode) })).toEqual(['m']);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { [outcome]: 1 } }]);
    const [told] = b.eventsOf(outcome === 'failed' ? 'decodeFailed' : 'invalid');
    expect(told).toMatchObject({ recordId: 'm', error: { code: 'BATCHLATCH_DECODE' } });
    expect(await b.claim('m')).toBeUndefined();
  });

  it('fails where a decoder gives neither text nor bytes', async () => {
    const b = bench();
    await b.run(() => 'done', ['m'], { decode: decoder((() => ({})) as unknown as Decoder) });
    expect(b.eventsOf('decodeFailed')).toMatchObject([
      { error: { message: expect.stringContaining('a object') } },
    ]);
  });

  it('holds back the rest of its message group', async () => {
    const decode: Decoder = (data, { id }) => {
      if (id === 'a2') throw new Error('S3 does not answer');
      return data;
    };
    const process = bench().processor(() => 'done', { decode: decoder(decode) });
    expect(failed(await process(fifo('a1', 'a2', 'a3', 'b1')))).toEqual(['a2', 'a3']);
  });

  it('rejects what is delivered directly', async () => {
    const process = bench().processor(() => 'done', { decode: gzip() });
    await expect(process(snsEvent([{ message: 'x' }]))).rejects.toMatchObject({ code: 'BATCHLATCH_DECODE' });
  });
});

describe('An envelope before a decoder', () => {
  it.each<[string, unknown, string, object]>([
    [
      'that is not there',
      { orderId: 'A' },
      'invalid',
      { code: 'BATCHLATCH_MALFORMED_RECORD', message: expect.stringContaining('eventBridgeEnvelope()') },
    ],
    [
      'that holds an object, whose text nobody knows any more',
      eventBridgeEvent({ orderId: 'A' }),
      'invalid',
      {
        code: 'BATCHLATCH_DECODE',
        message: expect.stringContaining('The content of the envelope is of the type object'),
      },
    ],
  ])('makes its record invalid: one %s', async (_what, body, status, error) => {
    const b = bench();
    const decode = [eventBridgeEnvelope(), base64()];
    expect(failed(await b.processor(() => 'done', { decode })(sqsEvent([{ messageId: 'a', body }])))).toEqual(
      ['a'],
    );
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { [status]: 1 } }]);
    expect(b.eventsOf('invalid')).toMatchObject([{ error }]);
  });
});

describe('A decoder that never ends', () => {
  it('is told to stop, and keeps the answer from nobody; what was decoded is handed back unstarted', async () => {
    const b = bench();
    const end = deferred<string>();
    let signal: AbortSignal | undefined;
    const decode: Decoder = (data, { id }, options) => {
      if (id !== 'hangs') return data;
      ({ signal } = options);
      return end.promise;
    };
    const runs: string[] = [];
    const handler: RecordHandler = ({ id }) => void runs.push(id);
    const answer = b.processor(handler, { decode: decoder(decode) })(
      messages('hangs', 'good'),
      b.lambda(3_000),
    );
    await b.clock.advance(1_999);
    expect(signal?.aborted).toBe(false);
    await b.clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(failed(await answer)).toEqual(['hangs', 'good']);
    expect(runs).toEqual([]);
    expect(b.eventsOf('decodeFailed')).toMatchObject([{ recordId: 'hangs' }]);
    expect(b.eventsOf('notStarted')).toMatchObject([{ recordId: 'good', reason: 'deadline' }]);
    expect(await b.claim('good')).toBeUndefined();
    end.resolve('{}');
  });
});

describe('What a decoder makes at most where nothing is said', () => {
  const name = 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE';
  afterEach(() => {
    delete process.env[name];
  });

  it.each([
    ['128', 2_097_152],
    ['512', 8_388_608],
    ['640', 10_485_760],
    ['10240', 10_485_760],
  ])('is a 64th of a function of %s MB, and never more than 10 MB', async (megabytes, bytes) => {
    process.env[name] = megabytes;
    for (const [decode, body] of [
      [gzip(), zipped('0'.repeat(bytes + 1))],
      [base64(), inBase64('0'.repeat(bytes + 10))],
    ] as const) {
      const b = bench();
      await b.processor(() => 'done', { decode })(sqsEvent([{ body }]));
      expect(b.eventsOf('invalid')).toMatchObject([
        { error: { message: expect.stringContaining(`more than ${bytes} bytes`) } },
      ]);
    }
  });
});

describe('gzip', () => {
  it.each([0, -1, 1.5, '10', Number.NaN])('refuses a bound of %p at start', (maxBytes) => {
    expect(() => gzip({ maxBytes: maxBytes as number })).toThrow(
      'gzip: Expected `maxBytes` to be an integer from 1 up',
    );
  });

  it('refuses an option that nobody knows', () => {
    expect(() => gzip({ maxbytes: 1 } as object)).toThrow(
      'gzip: Unknown option `maxbytes`; known options are maxBytes',
    );
  });
});
