/** What a request is charged with, counted in rows: how many are written, and how many are read. */
export interface Touched {
  readonly writes: number;
  /** Strongly consistent ones count 1, eventually consistent ones a half. */
  readonly reads: number;
}

type Attribute = Readonly<Record<string, unknown>>;
/** A row as DynamoDB's JSON has it. */
export type Item = Readonly<Record<string, Attribute>>;

interface Input {
  readonly ConsistentRead?: boolean;
  readonly Statements?: readonly { readonly Statement: string; readonly ConsistentRead?: boolean }[];
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: readonly unknown[]; readonly ConsistentRead?: boolean }>
  >;
}

/**
 * The rows that a request reads and writes. A refused conditional write counts, as DynamoDB charges it; so does
 * the read of a key that is not there.
 */
export function touchedBy(operation: string, body: string): Touched {
  const input = JSON.parse(body) as Input;
  switch (operation) {
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return { writes: 1, reads: 0 };
    case 'GetItem':
      return { writes: 0, reads: readOf(input) };
    case 'BatchGetItem':
      return {
        writes: 0,
        reads: sum(Object.values(input.RequestItems ?? {}).map((one) => one.Keys.length * readOf(one))),
      };
    case 'BatchExecuteStatement':
      return {
        writes: sum((input.Statements ?? []).map((one) => (isRead(one) ? 0 : 1))),
        reads: sum((input.Statements ?? []).map((one) => (isRead(one) ? readOf(one) : 0))),
      };
    default:
      throw new Error(`No rule for what ${operation} is charged with`);
  }
}

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;

/** Units for rows of a size: a write unit for each KB of a row, a read unit for each 4 KB. */
export function unitsFor({ writes, reads }: Touched, rowBytes: number): Touched {
  const units = (size: number): number => Math.max(1, Math.ceil(rowBytes / size));
  return { writes: writes * units(WRITE_UNIT_BYTES), reads: reads * units(READ_UNIT_BYTES) };
}

/** The size of a row by DynamoDB's rules: names and values in UTF-8, two digits of a number in a byte and one more. */
export function bytesOf(item: Item): number {
  return sum(Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + bytesOfValue(value)));
}

function bytesOfValue(attribute: Attribute): number {
  const [[type, value] = ['NULL', true]] = Object.entries(attribute);
  if (type === 'S') return Buffer.byteLength(String(value));
  if (type === 'N') return Math.ceil(String(value).replaceAll(/\D/g, '').length / 2) + 1;
  if (type === 'B') return Buffer.from(String(value), 'base64').length;
  if (type === 'M') return 3 + Object.keys(value as Item).length + bytesOf(value as Item);
  if (type === 'L') return 3 + sum((value as Attribute[]).map((one) => 1 + bytesOfValue(one)));
  if (type === 'BOOL' || type === 'NULL') return 1;
  throw new Error(`No rule for the size of an attribute of type ${type}`);
}

function readOf({ ConsistentRead }: Pick<Input, 'ConsistentRead'>): number {
  return ConsistentRead === true ? 1 : 0.5;
}

function isRead({ Statement }: { readonly Statement: string }): boolean {
  return /^\s*SELECT\b/i.test(Statement);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
