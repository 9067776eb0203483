import { Buffer } from 'node:buffer';
import avsc from 'avsc';
import { describe, expect, it } from '@jest/globals';
import { avro, type AvroOptions, type SchemaRegistry } from 'batchlatch/avro';
import * as fc from 'fast-check';
import { decodeDirectly } from '../support/decode-directly.ts';
import { byGlue } from '../support/schema-registries.ts';

type Schema = Parameters<typeof avsc.Type.forSchema>[0];

function written(schema: unknown, value: unknown): Buffer {
  return avsc.Type.forSchema(schema as Schema).toBuffer(value);
}

/** Decodes bytes of a fixed schema. */
function decode(schema: unknown, bytes: Uint8Array, options: Partial<AvroOptions> = {}): Promise<string> {
  return decodeDirectly(avro({ schema: JSON.stringify(schema), ...options }), bytes);
}

const decimal = (scale: number) => ({ type: 'bytes', logicalType: 'decimal', precision: 30, scale });
const record = (fields: object[]) => ({ type: 'record', name: 'R', fields });

describe('avro', () => {
  it.each([
    ['0', 0, ''],
    ['-1', 0, 'ff'],
    ['0.05', 2, '05'],
    ['-0.05', 2, 'fb'],
    ['1.28', 2, '0080'],
    ['-1.28', 2, '80'],
    ['340282366920938463463374607431768211455', 0, '00ffffffffffffffffffffffffffffffff'],
  ])('writes the decimal %s of the scale %i with all digits', async (text, scale, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(await decode(decimal(scale), written('bytes', bytes))).toBe(JSON.stringify(text));
  });

  it('writes a union as its value, or with the name of its type where values do not tell', async () => {
    const plain = ['null', 'string'];
    expect(await decode(plain, written(plain, 'a'))).toBe('"a"');
    expect(await decode(plain, written(plain, null))).toBe('null');
    const ambiguous = ['int', 'double'];
    expect(await decode(ambiguous, written(ambiguous, { int: 3 }))).toBe('{"int":3}');
  });

  it('writes numbers that JSON does not have as strings', async () => {
    const type = { type: 'array', items: 'double' };
    expect(await decode(type, written(type, [NaN, Infinity, -Infinity, 1e300]))).toBe(
      '["NaN","Infinity","-Infinity",1e+300]',
    );
  });

  it('resolves to the schema of the reader: names, defaults, promotions', async () => {
    const writer = record([
      { name: 'id', type: 'int' },
      { name: 'gone', type: 'string' },
      { name: 'count', type: 'long' },
      { name: 'price', type: decimal(2) },
    ]);
    const readerSchema = JSON.stringify(
      record([
        { name: 'orderId', aliases: ['id'], type: 'long' },
        { name: 'tenant', type: 'string', default: 'none' },
        { name: 'size', type: 'long', default: 5 },
        { name: 'fee', type: decimal(2), default: '\u00ff' },
        { name: 'rate', type: { ...decimal(1), name: 'F', type: 'fixed', size: 3 }, default: '\0\0\u0019' },
        { name: 'count', type: 'double' },
        { name: 'price', type: decimal(2) },
      ]),
    );
    const bytes = written(writer, { id: 1, gone: 'x', count: 7, price: Buffer.from([100]) });
    expect(JSON.parse(await decode(writer, bytes, { readerSchema }))).toEqual({
      orderId: 1,
      tenant: 'none',
      size: 5,
      fee: '-0.01',
      rate: '2.5',
      count: 7,
      price: '1.00',
    });
  });

  it('refuses a schema of the registry that the reader cannot resolve', async () => {
    const registry: SchemaRegistry = { framing: 'confluent', schemaOf: () => '"string"' };
    const step = avro({ registry, readerSchema: '"int"' });
    await expect(decodeDirectly(step, Buffer.from([0, 0, 0, 0, 1, 2, 97]))).rejects.toMatchObject({
      message: 'The schema 1 of the registry cannot be used',
      isRetryable: false,
    });
  });

  it.each([
    ['nothing', {}, 'avro needs a `registry` or a `schema`'],
    [
      'both',
      { schema: '"int"', registry: { framing: 'glue', schemaOf: (): string => '' } },
      'avro takes a `registry` or a `schema`, not both',
    ],
    [
      'another schema',
      { schema: 'syntax = "proto3";' },
      'Expected `schema` to be the JSON of an Avro schema',
    ],
    ['another reader', { schema: '"int"', readerSchema: '{}' }, 'Expected `readerSchema` to be the JSON'],
    [
      'another registry',
      { registry: { schemaOf: (): string => '' } },
      'Expected `registry` to be confluentRegistry(',
    ],
  ])('refuses options with %s', (_, options, message) => {
    expect(() => avro(options as AvroOptions)).toThrow(message);
  });
});

describe('avro with hostile bytes', () => {
  const list = { type: 'record', name: 'List', fields: [{ name: 'next', type: ['null', 'List'] }] };
  const numberOf = (value: number) => written('long', value);

  it.each([
    ['too few', 'double', Buffer.from([1, 2]), 'ends early'],
    ['too many', 'null', Buffer.from([1]), 'goes on behind its value'],
    ['a length without end', 'string', numberOf(1_000_000), 'ends early'],
    ['a negative length', 'bytes', numberOf(-5), 'ends early'],
    ['a number of eleven bytes', 'long', Buffer.alloc(11, 0xff), 'has a number of more than 64 bits'],
    ['a number of 65 bits', 'long', Buffer.from('80808080808080808002', 'hex'), 'a number of more than 64'],
    ['an int beyond its range', 'int', numberOf(2 ** 31), 'has an int of more than 32 bits'],
    ['an int below its range', 'int', numberOf(-(2 ** 31) - 1), 'has an int of more than 32 bits'],
    ['a huge array of nothing', { type: 'array', items: 'null' }, numberOf(2 ** 45), 'would take more than'],
    ['a huge array of numbers', { type: 'array', items: 'int' }, numberOf(2 ** 45), 'ends early'],
    ['a huge map', { type: 'map', values: 'null' }, numberOf(2 ** 45), 'ends early'],
    ['an unknown branch', ['null', 'int'], numberOf(2), 'a branch or a symbol that its schema does not have'],
    ['an unknown symbol', { type: 'enum', name: 'E', symbols: ['A'] }, numberOf(1), 'a branch or a symbol'],
    ['nesting of 20,000 levels', list, Buffer.alloc(20_000, 2), 'is nested deeper than 500 levels'],
    ['a record in itself', record([{ name: 'again', type: 'R' }]), Buffer.alloc(9), 'is nested deeper than'],
    ['broken text', 'string', Buffer.from([2, 0xff]), 'has text that is not UTF-8'],
    ['a decimal of 417 bytes', decimal(0), written('bytes', Buffer.alloc(417, 1)), 'not of its Avro schema'],
    [
      'a prototype',
      { type: 'map', values: 'int' },
      Buffer.concat([numberOf(1), written('string', '__proto__'), Buffer.from([0, 0])]),
      'has a map with the key `__proto__`',
    ],
  ])('refuses %s for good', async (_, schema, bytes, message) => {
    const decoded = decode(schema, bytes);
    await expect(decoded).rejects.toThrow(message);
    await expect(decoded).rejects.toMatchObject({ name: 'DecodeError', isRetryable: false });
  });

  it.each([
    [
      'a map with many names',
      { type: 'map', values: 'null' },
      Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [index.toString(36), null])),
    ],
    [
      'many short bytes',
      { type: 'array', items: 'bytes' },
      Array.from({ length: 150_000 }, () => Buffer.alloc(0)),
    ],
  ])('refuses %s, which would end the process of a small function', async (_, schema, value) => {
    const memory = 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE';
    const before = process.env[memory];
    process.env[memory] = '128';
    try {
      await expect(decode(schema, written(schema, value))).rejects.toThrow('would take more than 8388608');
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, memory);
      else process.env[memory] = before;
    }
  });

  it('writes the JSON of many values', async () => {
    const type = { type: 'array', items: 'int' };
    const values = Array.from({ length: 12_345 }, (_, index) => index);
    expect(await decode(type, written(type, values))).toBe(JSON.stringify(values));
  });

  it('refuses a block of another length than it says, which would hide values from the check', async () => {
    const nulls = { name: 'nulls', type: { type: 'array', items: 'null' } };
    const fields = [
      { name: 'gone', type: { type: 'array', items: 'int' } },
      nulls,
      { name: 'rest', type: 'bytes' },
    ];
    // Read from here, this is the end of `gone`, a million nulls, and an empty `rest`.
    const hidden = Buffer.concat([0, 1_000_000, 0, 0].map(numberOf));
    const after = Buffer.concat([numberOf(0), numberOf(0), numberOf(hidden.length)]);
    const bytes = Buffer.concat([numberOf(-1), numberOf(1 + after.length), numberOf(7), after, hidden]);
    const readerSchema = JSON.stringify(record([nulls]));
    const options = { readerSchema, maxBytes: 100_000_000 };
    await expect(decode(record(fields), bytes, options)).rejects.toThrow('has a block of another length');
    const honest = Buffer.concat([-1, 1, 7, 0, 0, 0].map(numberOf));
    expect(await decode(record(fields), honest, options)).toBe('{"nulls":[]}');
  });

  it('refuses what becomes more JSON than maxBytes', async () => {
    const longName = 'a'.repeat(1_000);
    const type = { type: 'array', items: { ...record([{ name: longName, type: 'null' }]) } };
    const bytes = written(
      type,
      Array.from({ length: 100 }, () => ({ [longName]: null })),
    );
    await expect(decode(type, bytes, { maxBytes: 50_000 })).rejects.toThrow('more than 50000 bytes as JSON');
    expect(await decode(type, bytes, { maxBytes: 200_000 })).toHaveLength(101_001);
  });

  it('decodes changed bytes of an official serializer, or throws a DecodeError', async () => {
    const registry: SchemaRegistry = { framing: 'glue', schemaOf: (id) => byGlue.schemas[id] };
    const step = avro({ registry });
    const order = Buffer.from(byGlue.avro['plain'] as string, 'base64');
    const change = fc.tuple(fc.nat(order.length - 19), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.nat(order.length),
        async (changes, end) => {
          const bytes = Buffer.from(order.subarray(0, Math.max(18, end)));
          for (const [at, value] of changes) if (18 + at < bytes.length) bytes[18 + at] = value;
          const outcome = await decodeDirectly(step, bytes).catch((error: unknown) => error);
          if (typeof outcome === 'string') expect(() => JSON.parse(outcome) as unknown).not.toThrow();
          else expect(outcome).toMatchObject({ name: 'DecodeError', isRetryable: false });
        },
      ),
      { numRuns: 500 },
    );
  });
});
