import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { CommitItemsError } from './commit-errors.ts';
import type { CommitItem, CommitValues } from './commit-item.ts';
import type { Row } from './row.ts';

/** A DynamoDB transaction holds 100 entries; one is the claim's completion. */
const MOST_ITEMS = 99;

/** The required members of each entry besides `TableName`. The first one holds plain values. */
const PARTS = {
  Put: ['Item'],
  Update: ['Key', 'UpdateExpression'],
  Delete: ['Key'],
  ConditionCheck: ['Key', 'ConditionExpression'],
} as const;

type Kind = keyof typeof PARTS;

/** The primary key of the claim that the items are committed with. */
interface ClaimPlace {
  readonly tableName: string;
  readonly key: Row;
}

/**
 * Converts entries with plain values to DynamoDB's form. Throws a `CommitItemsError` for entries that
 * DynamoDB would refuse; its message never contains values, which are payload.
 */
export function transactItemsOf(items: unknown, claim: ClaimPlace): TransactWriteItem[] {
  if (!Array.isArray(items) || items.length < 1 || items.length > MOST_ITEMS) {
    const got = Array.isArray(items) ? `${items.length} of them` : typeof items;
    throw new CommitItemsError(
      `Expected \`items\` to be an array of 1 to ${MOST_ITEMS} entries (a transaction holds 100, and ` +
        `one is the claim), got ${got}`,
    );
  }
  return items.map((item: unknown, index) => transactItemOf(item, index, claim));
}

/** Converts the item of a refusal to plain values. */
export function plainValues(item: Row): CommitValues {
  return unmarshall(withBytes(item, bytesReceived), { wrapNumbers: numberOf });
}

/** Returns a number; a bigint for an integer beyond the safe ones. DynamoDB's numbers have 38 digits. */
function numberOf(text: string): number | bigint {
  return Number.isSafeInteger(Number(text)) || !/^-?\d+$/.test(text) ? Number(text) : BigInt(text);
}

function transactItemOf(item: unknown, index: number, claim: ClaimPlace): TransactWriteItem {
  const refuse = (why: string): never => {
    throw new CommitItemsError(`Cannot commit entry ${index} of \`items\`: ${why}`);
  };
  const kinds = isObject(item) ? Object.keys(item).filter((name) => item[name] !== undefined) : [];
  const kind = kinds[0] as Kind;
  if (kinds.length !== 1 || !Object.hasOwn(PARTS, kind)) {
    return refuse('expected an object with exactly one of Put, Update, Delete and ConditionCheck');
  }
  const entry: unknown = (item as CommitItem)[kind];
  if (!isObject(entry)) return refuse(`expected \`${kind}\` to be an object`);
  const { TableName } = entry;
  if (typeof TableName !== 'string' || TableName === '') return refuse(`\`${kind}\` needs a \`TableName\``);
  const [values, expression] = PARTS[kind];
  if (!isObject(entry[values])) return refuse(`\`${kind}\` needs \`${values}\`, an object of plain values`);
  if (expression !== undefined && typeof entry[expression] !== 'string') {
    return refuse(`\`${kind}\` needs \`${expression}\``);
  }
  const written = entry[values];
  const isItsKey = Object.entries(claim.key).every(([name, { S }]) => written[name] === S);
  if (isItsKey && bareName(TableName) === bareName(claim.tableName)) {
    return refuse("it writes the claim's own row, which the transaction already completes");
  }

  const marshalled: Record<string, unknown> = { ...entry };
  for (const name of [values, 'ExpressionAttributeValues']) {
    const plain = entry[name];
    if (plain === undefined) continue;
    if (!isObject(plain)) return refuse(`expected \`${kind}.${name}\` to be an object of plain values`);
    marshalled[name] = rowOf(plain, (attribute) =>
      refuse(
        `\`${kind}.${name}\` has a value at ${JSON.stringify(attribute)} ` +
          'that DynamoDB cannot store: a class instance, a function, NaN or Infinity, an empty set, or ' +
          'a number beyond the safe integers (use a bigint)',
      ),
    );
  }
  return { [kind]: marshalled };
}

/** Converts values to attributes; undefined values are left out, as in JSON. */
function rowOf(values: CommitValues, refuse: (attribute: string) => never): Row {
  const row: Row = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (typeof value === 'function') refuse(name);
    try {
      const attribute = marshall({ [name]: value }, { removeUndefinedValues: true });
      Object.assign(row, withBytes(attribute, bytesToSend));
    } catch {
      refuse(name); // the library's own message may contain the value
    }
  }
  return row;
}

type Bytes = (binary: unknown) => Uint8Array;

/** Applies `bytes` to all binary values of a row. */
function withBytes(row: Row, bytes: Bytes): Row {
  const entries = Object.entries(row).map(([name, value]) => [name, attributeWithBytes(value, bytes)]);
  return Object.fromEntries(entries) as Row;
}

function attributeWithBytes(value: AttributeValue, bytes: Bytes): AttributeValue {
  const { B, BS, L, M } = value;
  if (B !== undefined) return { B: bytes(B) };
  if (BS !== undefined) return { BS: BS.map(bytes) };
  if (L !== undefined) return { L: L.map((one) => attributeWithBytes(one, bytes)) };
  return M === undefined ? value : { M: withBytes(M, bytes) };
}

/** Works with both transports: the SDK encodes bytes itself, the direct one calls `toJSON`. */
function bytesToSend(binary: unknown): Uint8Array {
  const bytes = ArrayBuffer.isView(binary)
    ? Buffer.from(binary.buffer, binary.byteOffset, binary.byteLength)
    : Buffer.from(binary as ArrayBuffer); // throws for a Blob, whose bytes are not loaded yet
  return Object.assign(new Uint8Array(bytes), { toJSON: () => bytes.toString('base64') });
}

/** Decodes base64: transports that read plain JSON return it in place of bytes. */
function bytesReceived(binary: unknown): Uint8Array {
  return typeof binary === 'string' ? new Uint8Array(Buffer.from(binary, 'base64')) : (binary as Uint8Array);
}

/** The table's name, from its ARN if one is given. */
function bareName(tableName: string): string {
  return tableName.slice(tableName.lastIndexOf('/') + 1);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
