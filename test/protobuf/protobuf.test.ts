import { Buffer } from 'node:buffer';
import protobufjs from 'protobufjs';
import { describe, expect, it } from '@jest/globals';
import { protobuf, type ProtobufOptions } from 'batchlatch/protobuf';
import * as fc from 'fast-check';
import { decodeDirectly } from '../support/decode-directly.ts';
import { byConfluent, byGlue, serializerFile } from '../support/schema-registries.ts';

const SHOP = serializerFile('shop.proto');
const HEADER = [0, 0, 0, 0, 1];

const registryOf = (schema: string): ProtobufOptions => ({
  registry: { framing: 'confluent', schemaOf: () => schema },
});

/** Encodes a message of a schema without its JSON form. */
function written(schema: string, name: string, members: object): Buffer {
  const type = protobufjs.parse(schema, new protobufjs.Root()).root.lookupType(name);
  return Buffer.from(type.encode(type.fromObject(members)).finish());
}

describe('protobuf', () => {
  it('decodes the message that is named, or the first of the file', async () => {
    const bytes = written('syntax = "proto3"; message M { string a = 1; }', 'M', { a: 'x' });
    const named = protobuf({ schema: SHOP, message: 'shop.OrderPlaced.Line.Note' });
    expect(await decodeDirectly(named, bytes)).toBe('{"text":"x"}');
    expect(await decodeDirectly(protobuf({ schema: SHOP }), bytes)).toBe('{"city":"x"}');
    expect(await decodeDirectly(protobuf({ schema: SHOP }), bytes.toString('base64'))).toBe('{"city":"x"}');
  });

  it('gives fields without presence their defaults, and no others', async () => {
    const schema = `
      syntax = "proto3";
      message M {
        int32 a = 1; optional int32 b = 2; M c = 3; repeated M d = 4; map<string, M> e = 5; E f = 6;
        oneof g { int32 h = 7; }
        enum E { ZERO = 0; }
      }`;
    const empty = { a: 0, d: [], e: {}, f: 'ZERO' };
    const bytes = written(schema, 'M', { d: [{}], e: { k: {} }, c: {} });
    expect(JSON.parse(await decodeDirectly(protobuf({ schema }), bytes))).toEqual({
      ...empty,
      c: empty,
      d: [empty],
      e: { k: empty },
    });
    const inherited = 'syntax = "proto3"; message M { string to_string = 1; repeated M constructor = 2; }';
    expect(JSON.parse(await decodeDirectly(protobuf({ schema: inherited }), Buffer.alloc(0)))).toEqual({
      toString: '',
      constructor: [],
    });
    const proto2 = 'syntax = "proto2"; message M { optional int32 a = 1; }';
    expect(await decodeDirectly(protobuf({ schema: proto2 }), Buffer.alloc(0))).toBe('{}');
  });

  it('finds imported messages in `imports`, and counts those of its own file only', async () => {
    const imported = 'syntax = "proto3"; package shop; message Other { string a = 1; }';
    const schema = 'syntax = "proto3"; package shop; import "o.proto"; message M { Other other = 1; }';
    const options = { ...registryOf(schema), imports: { 'o.proto': imported } };
    const bytes = Buffer.from([...HEADER, 0, 0x0a, 3, 0x0a, 1, 0x78]);
    expect(await decodeDirectly(protobuf(options), bytes)).toBe('{"other":{"a":"x"}}');
    const second = Buffer.from([...HEADER, 2, 2]);
    await expect(decodeDirectly(protobuf(options), second)).rejects.toThrow('names a message that');
    await expect(decodeDirectly(protobuf(registryOf(schema)), bytes)).rejects.toMatchObject({
      message: 'The schema 1 of the registry cannot be used',
      isRetryable: false,
    });
  });

  it('ignores options that other files define', async () => {
    const schema = `
      syntax = "proto3"; import "confluent/meta.proto";
      message M { string a = 1 [(confluent.field_meta) = { doc: "d", tags: ["PII"] }]; }`;
    const bytes = written('syntax = "proto3"; message M { string a = 1; }', 'M', { a: 'x' });
    expect(await decodeDirectly(protobuf({ schema }), bytes)).toBe('{"a":"x"}');
  });

  it('decodes an `Any` of a type of the schema, and refuses one of another for good', async () => {
    const schema = `
      syntax = "proto3"; package shop; import "google/protobuf/any.proto";
      message M { google.protobuf.Any any = 1; }
      message Inside { string a = 1; }`;
    const prefix = 'syntax = "proto3"; message Any { string type_url = 1; bytes value = 2; }';
    const bytesOfAny = (name: string): Buffer =>
      written(`${prefix} message M { Any any = 1; }`, 'M', {
        any: { typeUrl: `type.googleapis.com/${name}`, value: Buffer.from([0x0a, 1, 0x78]) },
      });
    const known = await decodeDirectly(protobuf({ schema }), bytesOfAny('shop.Inside'));
    expect(known).toBe('{"any":{"@type":"type.googleapis.com/shop.Inside","a":"x"}}');
    await expect(decodeDirectly(protobuf({ schema }), bytesOfAny('shop.Unknown'))).rejects.toMatchObject({
      message: 'The payload in Protobuf is not of its schema',
      isRetryable: false,
    });
  });

  it('keeps the key `__proto__` of a map as text', async () => {
    const schema = 'syntax = "proto3"; message M { map<string, string> names = 1; map<string, M> more = 2; }';
    const key = [0x0a, 9, ...Buffer.from('__proto__')];
    const names = Buffer.from([0x0a, 14, ...key, 0x12, 1, 0x78]);
    const text = '{"names":{"__proto__":"x"},"more":{}}';
    expect(await decodeDirectly(protobuf({ schema }), names)).toBe(text);
    const more = Buffer.from([0x12, 13 + names.length, ...key, 0x12, names.length, ...names]);
    expect(await decodeDirectly(protobuf({ schema }), more)).toBe(
      `{"more":{"__proto__":${text}},"names":{}}`,
    );
  });

  it.each([
    ['nothing', {}, 'protobuf needs a `registry` or a `schema`'],
    ['both', { schema: SHOP, ...registryOf(SHOP) }, 'protobuf takes a `registry`, or a `schema`'],
    ['another schema', { schema: '{"type":"int"}' }, 'Expected `schema` to be a .proto file'],
    ['an unknown message', { schema: SHOP, message: 'Order' }, 'does not have the message Order'],
  ])('refuses options with %s', (_, options, message) => {
    expect(() => protobuf(options)).toThrow(message);
  });
});

describe('protobuf with hostile bytes', () => {
  const NESTED = 'syntax = "proto3"; message M { M m = 1; repeated M l = 2; map<string, M> e = 3; }';
  const nest = (levels: number): Buffer => {
    let bytes = Buffer.alloc(0);
    for (let level = 0; level < levels; level += 1) {
      const length = protobufjs.Writer.create().uint32(bytes.length).finish();
      bytes = Buffer.concat([Buffer.from([0x0a]), length, bytes]);
    }
    return bytes;
  };
  const times = (count: number, ...bytes: number[]) => Buffer.alloc(count * bytes.length, Buffer.from(bytes));

  it.each([
    ['no index', [], 'is not of its schema'],
    ['an index out of range', [2, 6], 'names a message that its schema does not have'],
    ['an index in a message without messages', [4, 0, 0], 'names a message that'],
    ['a negative index', [2, 1], 'names a message that'],
    ['a negative count', [1], 'names a message that'],
    ['a huge count', [0xfe, 0xff, 0xff, 0xff, 0x0f, 2, 0], 'is not of its schema'],
    ['a field that ends early', [0, 0x0a, 5, 0x61], 'is damaged'],
    ['an unknown wire type', [0, 0x0f], 'is damaged'],
    ['text that is not UTF-8', [0, 0x0a, 1, 0xff], 'is not of its schema'],
  ])('refuses %s for good', async (_, after, message) => {
    const decoded = decodeDirectly(protobuf(registryOf(SHOP)), Buffer.from([...HEADER, ...after]));
    await expect(decoded).rejects.toThrow(message);
    await expect(decoded).rejects.toMatchObject({ name: 'DecodeError', isRetryable: false });
  });

  it('refuses an index of AWS Glue that is out of range, or that is the entry of a map', async () => {
    const step = protobuf({ registry: { framing: 'glue', schemaOf: () => SHOP } });
    const header = Buffer.from(byGlue.protobuf['first'] as string, 'base64').subarray(0, 18);
    for (const index of [5, 6, 200]) {
      const decoded = decodeDirectly(step, Buffer.concat([header, Buffer.from([index & 0x7f])]));
      await expect(decoded).rejects.toThrow('names a message that its schema does not have');
    }
  });

  it('refuses nesting of 101 levels', async () => {
    const step = protobuf({ schema: NESTED });
    expect(await decodeDirectly(step, nest(50))).toContain('"m"');
    await expect(decodeDirectly(step, nest(101))).rejects.toMatchObject({ isRetryable: false });
    await expect(decodeDirectly(step, nest(5_000))).rejects.toThrow('is nested too deep');
  });

  it.each([
    ['elements', times(2_000_000, 0x12, 0)],
    ['entries of a map', times(1_000_000, 0x1a, 2, 0x12, 0)],
  ])('refuses millions of empty %s that would fill the memory', async (_, bytes) => {
    await expect(decodeDirectly(protobuf({ schema: NESTED }), bytes)).rejects.toThrow('would take more than');
  });

  it('refuses what becomes more JSON than maxBytes', async () => {
    const step = protobuf({ schema: NESTED, maxBytes: 1_000 });
    await expect(decodeDirectly(step, times(100, 0x12, 0))).rejects.toThrow('more than 1000 bytes as JSON');
  });

  it('decodes changed bytes of an official serializer, or throws a DecodeError', async () => {
    const step = protobuf(registryOf(SHOP));
    const order = Buffer.from(byConfluent.protobuf['order'] as string, 'base64');
    const change = fc.tuple(fc.nat(order.length - 6), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.nat(order.length),
        async (changes, end) => {
          const bytes = Buffer.from(order.subarray(0, Math.max(5, end)));
          for (const [at, value] of changes) if (5 + at < bytes.length) bytes[5 + at] = value;
          const outcome = await decodeDirectly(step, bytes).catch((error: unknown) => error);
          if (typeof outcome === 'string') expect(() => JSON.parse(outcome) as unknown).not.toThrow();
          else expect(outcome).toMatchObject({ name: 'DecodeError', isRetryable: false });
        },
      ),
      { numRuns: 500 },
    );
  });
});
