import { assertParsable } from './json-bounds.ts';

/** JSON where it is JSON, else the text itself. Throws a `DecodeError` for JSON that would be too large as a value. */
export function parseJsonOrText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  assertParsable(text);
  try {
    return parse(text);
  } catch {
    return text;
  }
}
