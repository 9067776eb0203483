import { matches } from './matches.ts';

/**
 * Returns whether an event source mapping delivers a record: it has no filters, or one of them matches.
 * `payload` names the member with the payload, such as `body`, and its decoded text. If the text is a JSON
 * object or list, patterns match that, else the text itself. As in Lambda, a text that is not JSON matches no
 * pattern for JSON, and the reverse.
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
