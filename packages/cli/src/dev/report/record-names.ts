import { Buffer } from 'node:buffer';

type Fields = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 40;

/**
 * Returns a short name for each record, by the id that batchlatch logs: the first member of its payload whose
 * name ends with `id`, such as `orderId`, else the id. For the developer's screen, not for kept logs.
 */
export function recordNames(event: unknown): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const record of recordsOf(event)) {
    const id = idOf(record);
    if (id !== undefined) names.set(id, nameIn(payloadOf(record)) ?? id);
  }
  return names;
}

/** Returns the ids of an event's records, as batchlatch and Lambda name them; empty if it is not a batch. */
export function recordIds(event: unknown): readonly string[] {
  if (!Array.isArray(fieldsOf(event)?.['Records'])) return [];
  return recordsOf(event).flatMap((record) => idOf(record) ?? []);
}

/** Returns the number of records of an event; 1 if it is not a batch. */
export function countRecords(event: unknown): number {
  return recordsOf(event).length;
}

/** Returns the method and path of an HTTP request's event; undefined for any other event. */
export function requestName(event: unknown): string | undefined {
  const http = fieldsOf(fieldsOf(fieldsOf(event)?.['requestContext'])?.['http']);
  return http === undefined ? undefined : `${String(http['method'])} ${String(http['path'])}`;
}

function recordsOf(event: unknown): readonly Fields[] {
  const fields = fieldsOf(event);
  const records = fields?.['Records'];
  if (Array.isArray(records)) return records.map((record: unknown) => fieldsOf(record) ?? {});
  return fields === undefined ? [{}] : [fields];
}

function idOf(record: Fields): string | undefined {
  const stream =
    fieldsOf(record['kinesis'])?.['sequenceNumber'] ?? fieldsOf(record['dynamodb'])?.['SequenceNumber'];
  const id = record['messageId'] ?? stream ?? record['id'];
  return typeof id === 'string' ? id : undefined;
}

function payloadOf(record: Fields): unknown {
  if (typeof record['body'] === 'string') return parsed(record['body']);
  const data = fieldsOf(record['kinesis'])?.['data'];
  if (typeof data === 'string') return parsed(Buffer.from(data, 'base64').toString('utf8'));
  const keys = fieldsOf(fieldsOf(record['dynamodb'])?.['Keys']);
  if (keys !== undefined) {
    return Object.fromEntries(
      Object.entries(keys).map(([name, value]) => [`${name}Id`, Object.values(value as Fields)[0]]),
    );
  }
  return record['detail'];
}

function nameIn(payload: unknown): string | undefined {
  for (const [name, value] of Object.entries(fieldsOf(payload) ?? {})) {
    if (!/id$/i.test(name)) continue;
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      return String(value).slice(0, LONGEST_NAME);
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}
