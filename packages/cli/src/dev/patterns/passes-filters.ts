import { matches } from './matches.ts';

/**
 * Whether an event source mapping hands on a record: if it has no filters, or if one of them matches.
 *
 * `payload` is the member with what was sent, such as `body`, and its text, decoded. Where the text is an object or a list of
 * JSON, patterns are matched against that; else against the text itself. A text that is no JSON matches no pattern for JSON, and
 * the other way round: Lambda then drops the record.
 */
export function passesFilters(
  filters: readonly unknown[],
  record: object,
  payload?: { readonly name: string; readonly text: string },
): boolean {
  if (filters.length === 0) return true;
  const value = payload === undefined ? record : { ...record, [payload.name]: jsonOrText(payload.text) };
  return filters.some((pattern) => matches(pattern, value));
}

function jsonOrText(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : text;
  } catch {
    return text;
  }
}
