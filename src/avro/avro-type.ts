import avsc, { type Type, type types } from 'avsc';
import type { RegisteredSchema } from '../schema-registry/schema-registry.ts';

/** Parses a schema, after those that it refers to. Throws for anything else. */
export function avroType({ schema, imports = {} }: RegisteredSchema): Type {
  const registry: Record<string, Type> = { long: bigLong };
  const options = { registry, logicalTypes: { decimal: Decimal }, wrapUnions: 'auto' as const };
  for (const imported of Object.values(imports)) avsc.Type.forSchema(parse(imported), options);
  return avsc.Type.forSchema(parse(schema), options);
}

function parse(schema: string): Parameters<typeof avsc.Type.forSchema>[0] {
  return JSON.parse(schema) as Parameters<typeof avsc.Type.forSchema>[0];
}

/** `long` as `bigint`; `avsc` itself refuses numbers beyond 2^53. */
const bigLong: Type = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer(value: bigint) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (one: bigint, other: bigint) => Number(one > other) - Number(one < other),
});

/** The logical type `decimal` as a decimal string such as `-12.30`: its bytes would be of no use in JSON. */
class Decimal extends avsc.types.LogicalType {
  readonly scale: number;

  constructor(...[schema, options]: ConstructorParameters<typeof avsc.types.LogicalType>) {
    super(schema, options);
    const { scale = 0 } = schema as { readonly scale?: unknown };
    // Of an invalid scale `avsc` keeps the underlying type, as Avro's specification says.
    if (!Number.isSafeInteger(scale) || (scale as number) < 0 || (scale as number) > MOST_DIGITS) {
      throw new Error('The scale of a decimal is not a small integer');
    }
    this.scale = scale as number;
  }

  protected override _fromValue(bytes: Buffer): string {
    if (bytes.length > MOST_BYTES) throw new RangeError(`A decimal has more than ${MOST_BYTES} bytes`);
    const unsigned = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
    const unscaled = BigInt.asIntN(bytes.length * 8, unsigned);
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(this.scale + 1, '0');
    const whole = `${unscaled < 0n ? '-' : ''}${digits.slice(0, digits.length - this.scale)}`;
    return this.scale === 0 ? whole : `${whole}.${digits.slice(-this.scale)}`;
  }

  /** Called for the defaults of a reader's schema. */
  protected override _toValue(decimal: string): Buffer {
    const unscaled = BigInt(decimal.replace('.', ''));
    const { size = Math.ceil((unscaled.toString(2).length + 1) / 8) } = this
      .underlyingType as Partial<types.FixedType>;
    const hex = BigInt.asUintN(size * 8, unscaled).toString(16);
    return Buffer.from(hex.padStart(size * 2, '0'), 'hex');
  }

  protected override _resolve(writer: Type): ((value: string) => string) | undefined {
    return writer instanceof Decimal && writer.scale === this.scale ? (value) => value : undefined;
  }
}

const MOST_DIGITS = 1_000;
/** The bytes of `MOST_DIGITS`. A megabyte would take seconds to become digits. */
const MOST_BYTES = 416;
