import { Buffer } from 'node:buffer';
import { GlueClient } from '@aws-sdk/client-glue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { avro, confluentRegistry, glueRegistry } from 'batchlatch/avro';
import { kafka, kinesis, type DecodeStep } from 'batchlatch';
import { protobuf } from 'batchlatch/protobuf';
import { kafkaEvent, kinesisEvent, sqsEvent } from 'batchlatch/testing';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { bench } from '../batch/bench.ts';
import { byConfluent, byGlue, type SchemaServer, startSchemaServer } from '../support/schema-registries.ts';

const AVRO_ORDER = {
  orderId: 'o-1',
  quantity: -3,
  weight: 0.1,
  token: '\u0000\u007f\u0080\u00ff',
  note: 'Größe ✓',
  status: 'PAID',
  tags: ['a', 'b'],
  placedAt: 1_700_000_000_000,
  address: { city: 'Zürich' },
  payment: { 'shop.Voucher': { code: 'v' } },
};

const PROTOBUF_ORDER = {
  orderId: 'o-1',
  totalCents: '-9223372036854775808',
  largest: '18446744073709551615',
  weight: 0.1,
  isGift: true,
  token: 'AH+A/w==',
  status: 'PAID',
  lineCounts: { a: '9007199254740993' },
  placedAt: '2026-01-02T03:04:05.678Z',
  voucher: 7,
  scores: [-1, 0, 1],
};

const EMPTY_ORDER = {
  orderId: '',
  totalCents: '0',
  largest: '0',
  weight: 0,
  isGift: false,
  token: '',
  status: 'NEW',
  lines: [],
  lineCounts: {},
  scores: [],
};

let server: SchemaServer;
let client: GlueClient;
beforeAll(async () => {
  server = await startSchemaServer();
  client = new GlueClient({ ...emulatorClientConfig, endpoint: server.endpoint, maxAttempts: 1 });
});
afterEach(() => {
  server.answer = undefined;
  server.requests.length = 0;
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

/** The body and the text that a handler gets of a Kafka record with these bytes. */
async function decoded(decode: DecodeStep, base64: string): Promise<{ body: unknown; rawBody: string }> {
  const b = bench();
  const seen: { body: unknown; rawBody: string }[] = [];
  const process = b.processor(({ body, rawBody }) => void seen.push({ body, rawBody }), {
    source: kafka(),
    decode,
  });
  await process(kafkaEvent([{ value: Buffer.from(base64, 'base64') }]));
  expect([...b.eventsOf('invalid'), ...b.eventsOf('decodeFailed')]).toEqual([]);
  return seen[0] as { body: unknown; rawBody: string };
}

describe("What Confluent's serializer wrote", () => {
  const confluent = () => ({ registry: confluentRegistry({ url: server.endpoint }) });

  it('is decoded from Avro with its schema and the schema that this references', async () => {
    const { body } = await decoded(avro(confluent()), byConfluent.avro['order'] as string);
    expect(body).toEqual({
      ...AVRO_ORDER,
      totalCents: 9_007_199_254_740_990,
      price: '-12.34',
      counts: { x: 1, y: -2 },
    });
    expect(server.requests).toEqual(['GET /schemas/ids/2', 'GET /subjects/address/versions/1']);
  });

  it('is decoded from the Avro schema "bytes", whose bytes have no length', async () => {
    const { body } = await decoded(avro(confluent()), byConfluent.avro['bytes'] as string);
    expect(body).toBe('\u0000\u0001\u00fe\u00ff');
  });

  it('is decoded from Protobuf with the message that its indexes name', async () => {
    const step = protobuf(confluent());
    const bodyOf = async (name: string) => (await decoded(step, byConfluent.protobuf[name] as string)).body;
    expect(await bodyOf('order')).toEqual({
      ...PROTOBUF_ORDER,
      address: { city: 'Zürich' },
      lines: [
        { sku: 's', quantity: 2, note: { text: 'Größe ✓' } },
        { sku: '', quantity: 0 },
      ],
    });
    expect(await bodyOf('empty')).toEqual(EMPTY_ORDER);
    expect(await bodyOf('first')).toEqual({ city: 'Bern' });
    expect(await bodyOf('nested')).toEqual({ sku: 's', quantity: 0 });
    expect(await bodyOf('deeper')).toEqual({ text: 'n' });
    expect(await bodyOf('last')).toEqual({ orderId: 'o-2' });
    expect(server.requests).toEqual(['GET /schemas/ids/1']);
  });
});

describe("What AWS Glue's serializer wrote", () => {
  const glue = () => ({ registry: glueRegistry({ client }) });

  it.each(['plain', 'zlib'])('is decoded from %s Avro with all digits', async (compression) => {
    const { body, rawBody } = await decoded(avro(glue()), byGlue.avro[compression] as string);
    expect(body).toMatchObject({ ...AVRO_ORDER, price: '-123456789012345678.90' });
    expect(rawBody).toContain('"totalCents":-9223372036854775808,');
    expect(rawBody).toContain('"counts":{"x":9007199254740993,"y":-2}');
    const strings = await decoded(avro({ ...glue(), longs: 'string' }), byGlue.avro[compression] as string);
    expect(strings.body).toMatchObject({
      quantity: -3,
      totalCents: '-9223372036854775808',
      counts: { x: '9007199254740993' },
    });
  });

  it.each(['plain', 'zlib'])('is decoded from %s Protobuf', async (compression) => {
    const { body } = await decoded(protobuf(glue()), byGlue.protobuf[compression] as string);
    expect(body).toMatchObject({ ...PROTOBUF_ORDER, address: { city: 'Bern' } });
  });

  it('is decoded with the message of its index, which counts the entries of maps', async () => {
    const step = protobuf(glue());
    const bodyOf = async (name: string) => (await decoded(step, byGlue.protobuf[name] as string)).body;
    expect(await bodyOf('first')).toEqual({ city: 'Bern' });
    expect(await bodyOf('nested')).toEqual({ sku: 's', quantity: 0 });
    expect(await bodyOf('deeper')).toEqual({ text: 'n' });
    expect(await bodyOf('empty')).toEqual(EMPTY_ORDER);
    expect(server.requests).toEqual(['POST AWSGlue.GetSchemaVersion']);
  });

  it('is decoded with the same index where the schema has `map` itself', async () => {
    const schemaOf = () => readableShop(byGlue.schemas);
    const step = protobuf({ registry: { framing: 'glue', schemaOf } });
    const deeper = await decoded(step, byGlue.protobuf['deeper'] as string);
    expect(deeper.body).toEqual({ text: 'n' });
  });
});

describe('A batch of records in Avro', () => {
  const order = byGlue.avro['zlib'] as string;
  const bytes = Buffer.from(order, 'base64');
  const damaged = bytes.subarray(0, 40);

  it.each([
    [
      'Kafka',
      kafka(),
      kafkaEvent([{ value: bytes }, { value: damaged, partition: 1 }, { value: undefined }]),
    ],
    [
      'Kinesis',
      kinesis(),
      kinesisEvent([
        { body: bytes },
        { body: damaged, partitionKey: '2' },
        { body: bytes, partitionKey: '3' },
      ]),
    ],
  ] as const)('of %s runs, and a damaged record fails alone', async (_, source, event) => {
    const b = bench();
    const bodies: unknown[] = [];
    const process = b.processor(({ body }) => void bodies.push(body), {
      source,
      decode: avro({ registry: glueRegistry({ client }) }),
    });
    await process(event);
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual(expect.objectContaining({ orderId: 'o-1' }));
    expect(b.eventsOf('invalid')).toHaveLength(1);
  });

  it('of SQS is decoded from base64, and makes keys', async () => {
    const b = bench();
    const bodies: unknown[] = [];
    const process = b.processor(({ body }) => void bodies.push(body), {
      decode: avro({ registry: glueRegistry({ client }), longs: 'string' }),
      key: (record) => (record.body as { readonly orderId: string }).orderId,
    });
    const { batchItemFailures } = (await process(
      sqsEvent([
        { messageId: '1', body: order },
        { messageId: '2', body: byGlue.avro['plain'] },
        { messageId: '3', body: 'no base64 !' },
      ]),
    )) as { batchItemFailures: unknown };
    expect(bodies).toHaveLength(1);
    expect(batchItemFailures).toEqual([{ itemIdentifier: '3' }]);
  });

  it('is handed back as failed while the registry is down, and runs afterwards', async () => {
    const b = bench();
    let runs = 0;
    server.answer = (response) => response.writeHead(503).end();
    const decode = () => avro({ registry: confluentRegistry({ url: server.endpoint }) });
    const event = kafkaEvent([{ value: Buffer.from(byConfluent.avro['order'] as string, 'base64') }]);
    await b.processor(() => (runs += 1), { source: kafka(), decode: decode() })(event);
    expect(b.eventsOf('decodeFailed')).toHaveLength(1);
    expect(runs).toBe(0);
    server.answer = undefined;
    await b.processor(() => (runs += 1), { source: kafka(), decode: decode() })(event);
    expect(runs).toBe(1);
  });
});

/** The schema that Glue's serializer registered, as a person would write it. */
function readableShop(schemas: Readonly<Record<string, string>>): string {
  const registered = Object.values(schemas).find((schema) => schema.startsWith('syntax')) as string;
  return registered
    .replace(/message LineCountsEntry \{[^}]*\}/, '')
    .replace('repeated .shop.OrderPlaced.LineCountsEntry', 'map<string, int64>');
}
