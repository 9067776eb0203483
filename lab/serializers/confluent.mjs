// Writes records with Confluent's serializers and its mock of the registry, and prints them as base64 in JSON:
// node confluent.mjs NODE_MODULES
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(`${process.argv[2]}/index.js`);
const confluent = require('@confluentinc/schemaregistry');
const bufbuild = require('@bufbuild/protobuf');
const wkt = require('@bufbuild/protobuf/wkt');

const textOf = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const TOPIC = 'orders';

async function avroRecords() {
  const client = confluent.SchemaRegistryClient.newClient({ baseURLs: ['mock://avro'] });
  await client.register('address', { schemaType: 'AVRO', schema: textOf('address.avsc') });
  const references = [{ name: 'shop.Address', subject: 'address', version: 1 }];
  await client.register(`${TOPIC}-value`, {
    schemaType: 'AVRO',
    schema: textOf('order-placed.avsc'),
    references,
  });
  await client.register('bytes-value', { schemaType: 'AVRO', schema: '"bytes"' });
  const serializer = new confluent.AvroSerializer(client, confluent.SerdeType.VALUE, {
    useLatestVersion: true,
  });
  return {
    order: await serializer.serialize(TOPIC, {
      orderId: 'o-1',
      quantity: -3,
      totalCents: 9007199254740991 - 1,
      price: Buffer.from('fb2e', 'hex'),
      weight: 0.1,
      token: Buffer.from([0, 127, 128, 255]),
      note: 'Größe ✓',
      status: 'PAID',
      tags: ['a', 'b'],
      counts: { x: 1, y: -2 },
      placedAt: 1_700_000_000_000,
      address: { city: 'Zürich' },
      payment: { 'shop.Voucher': { code: 'v' } },
    }),
    bytes: await serializer.serialize('bytes', Buffer.from([0, 1, 254, 255])),
  };
}

async function protobufRecords(fileBytes) {
  const file = bufbuild.fromBinary(wkt.FileDescriptorProtoSchema, fileBytes);
  const registry = bufbuild.createFileRegistry(file, (name) =>
    name === 'google/protobuf/timestamp.proto' ? wkt.file_google_protobuf_timestamp : undefined,
  );
  const client = confluent.SchemaRegistryClient.newClient({ baseURLs: ['mock://protobuf'] });
  const serializer = new confluent.ProtobufSerializer(client, confluent.SerdeType.VALUE, {
    registry: bufbuild.createMutableRegistry(registry),
    autoRegisterSchemas: true,
  });
  const written = (name, json) => {
    const schema = registry.getMessage(`shop.${name}`);
    return serializer.serialize(TOPIC, bufbuild.fromJson(schema, json, { registry }));
  };
  return {
    order: await written('OrderPlaced', {
      orderId: 'o-1',
      totalCents: '-9223372036854775808',
      largest: '18446744073709551615',
      weight: 0.1,
      isGift: true,
      token: Buffer.from([0, 127, 128, 255]).toString('base64'),
      status: 'PAID',
      lines: [{ sku: 's', quantity: 2, note: { text: 'Größe ✓' } }, {}],
      lineCounts: { a: '9007199254740993' },
      placedAt: '2026-01-02T03:04:05.678Z',
      address: { city: 'Zürich' },
      voucher: 7,
      scores: [-1, 0, 1],
    }),
    empty: await written('OrderPlaced', {}),
    first: await written('Address', { city: 'Bern' }),
    nested: await written('OrderPlaced.Line', { sku: 's' }),
    deeper: await written('OrderPlaced.Line.Note', { text: 'n' }),
    last: await written('OrderCancelled', { orderId: 'o-2' }),
  };
}

const base64 = (records) =>
  Object.fromEntries(
    Object.entries(records).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  );
// protoc --descriptor_set_out of shop.proto, without the set around it.
const file = Buffer.from(textOf('shop.descriptor.base64'), 'base64');
const records = { avro: base64(await avroRecords()), protobuf: base64(await protobufRecords(file)) };
console.log(JSON.stringify(records));
