import type { Line } from './read-lines.ts';

/** What a line stands for: a message's body. */
export interface LineBody {
  /** As it is sent: the line, or what stands in it where it is a JSON string. */
  readonly body: string;
  /** The JSON value; of texts undefined. */
  readonly value: unknown;
}

/** Why a line stands for nothing. */
export interface BadLine {
  readonly problem: string;
}

/**
 * The body that a line stands for. A line is JSON and is sent as it is, so that no number loses a digit; a JSON string is sent
 * as the text in it. With `isText` every line is a text.
 */
export function lineBody({ text, problem }: Line, isText: boolean): LineBody | BadLine {
  if (problem !== undefined) return { problem };
  if (isText) return { body: text, value: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'is not JSON; lines that are plain texts need --text' }; // its error would quote the line
  }
  return { body: typeof value === 'string' ? value : text.trim(), value };
}

/** Whether it is no body. */
export function isBad(line: object): line is BadLine {
  return 'problem' in line;
}

/** The text at a path such as `customer.id`, of a text, a number or a boolean; undefined where there is none. */
export function textAt(value: unknown, path: string): string | undefined {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  const isText = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
  return isText && found !== '' ? String(found) : undefined;
}
