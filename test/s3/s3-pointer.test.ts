import { gzipSync } from 'node:zlib';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { gzip, payloadHash, type RecordHandler, snsEnvelope } from 'batchlatch';
import { s3Pointer, type S3PointerOptions } from 'batchlatch/s3';
import { type SqsMessage, snsEvent, sqsEvent } from 'batchlatch/testing';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { bench, failed } from '../batch/bench.ts';

const BUCKET = 'large-orders';
const CLASS = 'software.amazon.payloadoffloading.PayloadS3Pointer';

describe('s3Pointer', () => {
  let fauxqs: LocalService;
  let client: S3Client;
  const s3At = (endpoint: string): S3Client =>
    new S3Client({ ...emulatorClientConfig, endpoint, forcePathStyle: true, maxAttempts: 1 });

  beforeAll(async () => {
    fauxqs = await startSqsEmulator();
    client = s3At(fauxqs.endpoint);
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    await put('order', '{"orderId":"A"}');
    await put('zipped', gzipSync('{"orderId":"A"}').toString('base64'));
    await put('large', 'x'.repeat(1_001));
  });
  afterAll(async () => {
    client.destroy();
    await fauxqs.stop();
  });

  const put = (key: string, body: string): Promise<unknown> =>
    client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }));

  /** What the extended client libraries send. */
  function pointer(
    key: string,
    { bucket = BUCKET, className = CLASS, attribute = 'ExtendedPayloadSize' } = {},
  ): SqsMessage {
    return {
      messageId: key,
      body: [className, { s3BucketName: bucket, s3Key: key }],
      messageAttributes: { [attribute]: { stringValue: '300000', dataType: 'Number' } },
    };
  }

  async function run(message: SqsMessage, options: Partial<S3PointerOptions> = {}) {
    const b = bench();
    const bodies: unknown[] = [];
    const handler: RecordHandler = ({ body }) => void bodies.push(body);
    const process = b.processor(handler, {
      decode: s3Pointer({ client, buckets: [BUCKET, 'none'], ...options }),
    });
    const handedBack = failed(
      await process(sqsEvent([message, { messageId: 'plain', body: { plain: true } }])),
    );
    return { b, bodies: bodies.filter((body) => !(body as { plain?: true }).plain), handedBack };
  }

  it.each([
    ['of the libraries of today', {}],
    [
      'of the older ones',
      { className: 'com.amazon.sqs.javamessaging.MessageS3Pointer', attribute: 'SQSLargePayloadSize' },
    ],
  ])('gives the handler what a pointer %s points to', async (_, members) => {
    const { bodies, handedBack } = await run(pointer('order', members), { buckets: [BUCKET] });
    expect(bodies).toEqual([{ orderId: 'A' }]);
    expect(handedBack).toEqual([]);
  });

  it('lets the payload be decoded further, and keys be made of it', async () => {
    const b = bench();
    let runs = 0;
    const decode = [s3Pointer({ client, buckets: [BUCKET] }), gzip()];
    const process = b.processor(() => (runs += 1), { decode, key: payloadHash() });
    const zipped = gzipSync('{"orderId":"A"}').toString('base64');
    expect(failed(await process(sqsEvent([pointer('zipped'), { body: zipped }])))).toEqual([]);
    expect(runs).toBe(1);
  });

  it('reads what SNS delivers to the function too', async () => {
    const bodies: unknown[] = [];
    const handler: RecordHandler = ({ body }) => void bodies.push(body);
    const message = [CLASS, { s3BucketName: BUCKET, s3Key: 'order' }];
    const messageAttributes = { ExtendedPayloadSize: { Type: 'Number', Value: '300000' } };
    await bench().processor(handler, { decode: s3Pointer({ client, buckets: [BUCKET] }) })(
      snsEvent([{ message, messageAttributes }]),
    );
    expect(bodies).toEqual([{ orderId: 'A' }]);
  });

  it('reads what is in an SNS notification in a queue, whose attributes are in the envelope', async () => {
    const bodies: unknown[] = [];
    const handler: RecordHandler = ({ body }) => void bodies.push(body);
    const message = [CLASS, { s3BucketName: BUCKET, s3Key: 'order' }];
    const messageAttributes = { ExtendedPayloadSize: { Type: 'Number', Value: '300000' } };
    const [record] = snsEvent([{ message, messageAttributes }]).Records;
    const decode = [snsEnvelope(), s3Pointer({ client, buckets: [BUCKET] })];
    await bench().processor(handler, { decode })(sqsEvent([{ body: record?.Sns }]));
    expect(bodies).toEqual([{ orderId: 'A' }]);
  });

  it('leaves a body alone that only looks like a pointer: the reserved attribute is missing', async () => {
    const { messageAttributes: _attributes, ...message } = pointer('order');
    expect((await run(message)).bodies).toEqual([message.body]);
  });

  it.each<[string, SqsMessage, Partial<S3PointerOptions>, string]>([
    ['an object that is gone', pointer('gone'), {}, 'is gone'],
    ['an object that is too large', pointer('large'), { maxBytes: 1_000 }, 'more than 1000 bytes'],
    ['a bucket that is not allowed', pointer('order'), { buckets: ['other'] }, 'does not allow'],
    ['no pointer', { ...pointer('order'), body: 'text' }, {}, 'its body is not a pointer'],
    ['another class', pointer('order', { className: 'x.Y' }), {}, 'its body is not a pointer'],
    [
      'no key',
      { ...pointer('order'), body: [CLASS, { s3BucketName: BUCKET }] },
      {},
      'its body is not a pointer',
    ],
  ])('makes a message invalid, alone, that points to %s', async (_, message, options, words) => {
    const { b, bodies, handedBack } = await run(message, options);
    expect(bodies).toEqual([]);
    expect(handedBack).toEqual([message.messageId]);
    expect(b.eventsOf('invalid')).toMatchObject([
      { error: { code: 'BATCHLATCH_DECODE', isRetryable: false, message: expect.stringContaining(words) } },
    ]);
  });

  it.each<[string, S3PointerOptions['buckets'], string[]]>([
    ['that allows it', ({ bucket, key, record }) => bucket === BUCKET && key === record.id, []],
    ['that says so later', async ({ key }) => key === 'order', []],
    ['that does not', () => false, ['order']],
    ['that gives something else', (() => 'yes') as unknown as () => boolean, ['order']],
  ])('follows a pointer as a function says: one %s', async (_, buckets, expected) => {
    expect((await run(pointer('order'), { buckets })).handedBack).toEqual(expected);
  });

  it('asks S3 for the owner of the bucket, where one is expected', async () => {
    const noting = new S3Client({});
    const mock = mockClient(noting);
    mock.on(GetObjectCommand).resolves({ Body: [Buffer.from('{}')] as never });
    await run(pointer('order'), { client: noting });
    await run(pointer('order'), { client: noting, expectedBucketOwner: '123456789012' });
    expect(mock.commandCalls(GetObjectCommand).map(({ args: [{ input }] }) => input)).toEqual([
      { Bucket: BUCKET, Key: 'order' },
      { Bucket: BUCKET, Key: 'order', ExpectedBucketOwner: '123456789012' },
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['never answers', () => new Promise(() => undefined)],
    [
      'never sends the object',
      async () => ({
        Body: {
          [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
        },
      }),
    ],
  ])('hands a message back, and runs its neighbours, when the client %s', async (_, answer) => {
    const hanging = new S3Client({});
    mockClient(hanging).on(GetObjectCommand).callsFake(answer);
    const { b, handedBack } = await run(pointer('order'), { client: hanging, timeoutMs: 5 });
    expect(handedBack).toEqual(['order']);
    expect(b.eventsOf('decodeFailed')).toMatchObject([
      { error: { isRetryable: true, message: expect.stringContaining('within 5 ms') } },
    ]);
  });

  it('takes an object of the largest size', async () => {
    expect((await run(pointer('large'), { maxBytes: 1_001 })).handedBack).toEqual([]);
  });

  it('hands a message back that may be read later: S3 cannot be reached, or has no such bucket', async () => {
    const unreachable = s3At(`http://127.0.0.1:${await freePort()}`);
    const runs = [
      await run(pointer('order'), { client: unreachable }),
      await run(pointer('order', { bucket: 'none' })),
    ];
    unreachable.destroy();
    for (const { b, handedBack } of runs) {
      expect(handedBack).toEqual(['order']);
      expect(b.eventsOf('decodeFailed')).toMatchObject([
        { error: { code: 'BATCHLATCH_DECODE', isRetryable: true } },
      ]);
    }
  });

  it('refuses to be made without options', () => {
    expect(() => (s3Pointer as () => unknown)()).toThrow('s3Pointer: Expected the options to be an object');
  });

  it.each<[object, string]>([
    [{ bucket: BUCKET }, 's3Pointer: Unknown option `bucket`; known options are buckets, '],
    [{ buckets: [BUCKET], client: {} }, 'Expected `client`'],
    [{}, 'Expected `buckets`'],
    [{ client: { send: () => undefined } }, 'Expected `buckets`'],
    [{ buckets: [] }, 'Expected `buckets`'],
    [{ buckets: BUCKET }, 'Expected `buckets`'],
    [{ buckets: [''] }, 'Expected `buckets`'],
    [{ buckets: [BUCKET], maxBytes: 0 }, 'Expected `maxBytes`'],
    [{ buckets: [BUCKET], timeoutMs: 1.5 }, 'Expected `timeoutMs`'],
    [{ buckets: [BUCKET], expectedBucketOwner: 123_456_789_012 }, 'Expected `expectedBucketOwner`'],
  ])('refuses %j at start', (options, message) => {
    expect(() => s3Pointer(options as S3PointerOptions)).toThrow(message);
  });
});
