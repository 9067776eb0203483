/** A line that is not empty, or the problem with it. */
export interface Line {
  /** Counted from 1, with empty lines. */
  readonly number: number;
  /** Empty if there is a problem. */
  readonly text: string;
  readonly problem?: string;
}

/** The message body of a line. */
export interface LineBody {
  /** The text to send: the line itself or, if it is a JSON string, its content. */
  readonly body: string;
  /** The parsed JSON; undefined with `isText`. */
  readonly value: unknown;
}

/** The reason why a line has no body; it follows the line's place in messages. */
export interface BadLine {
  readonly problem: string;
}

/**
 * Returns the body of a line. JSON is sent as it is written, so that no number loses digits; a JSON string is
 * sent as its content. With `isText`, every line is sent as plain text.
 */
export function lineBody({ text, problem }: Line, isText: boolean): LineBody | BadLine {
  if (problem !== undefined) return { problem };
  if (isText) return { body: text, value: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // JSON.parse's error would quote the line.
    return { problem: 'is not JSON; lines that are plain texts need --text' };
  }
  return { body: typeof value === 'string' ? value : text.trim(), value };
}

export function isBad(line: object): line is BadLine {
  return 'problem' in line;
}

/** Returns the text, number or boolean at a path such as `customer.id`, as text; else undefined. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  const isText = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
  return isText && found !== '' ? String(found) : undefined;
}

/** Returns the value at a path such as `customer.id`; undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
