import { isObject } from './is-object.ts';

/**
 * Members that say what failed. What is thrown may as well be the body that was sent, so that no other member is shown.
 */
const OF_FAILURES =
  /^(error|err|failure|decline|status|http|exit|sql|result|grpc)?_?(code|reason|status|type|kind|message|title|detail|description|hint|state)$|^(error|errno|syscall|(is)?retryable|requestId|traceId)$/i;
const MOST_FIELDS = 20;
const LONGEST_FIELD = 200;

/**
 * What an object that was thrown and is no error says of the failure, such as `{ code, reason }`, as JSON: its texts,
 * numbers and booleans, without what is nested. Undefined where it says nothing.
 */
export function thrownFields(thrown: unknown): string | undefined {
  if (!isObject(thrown) || Array.isArray(thrown)) return undefined;
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let count = 0;
  for (const name of Object.keys(thrown)) {
    if (count === MOST_FIELDS) break;
    const value = shown((thrown as Readonly<Record<string, unknown>>)[name]);
    if (value === undefined || !OF_FAILURES.test(name)) continue;
    fields[name] = value;
    count += 1;
  }
  return count === 0 ? undefined : JSON.stringify(fields);
}

function shown(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.length > LONGEST_FIELD ? `${value.slice(0, LONGEST_FIELD)}…` : value;
}
