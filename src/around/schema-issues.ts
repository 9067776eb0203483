import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isObject } from '../base/is-object.ts';

/** One thing that does not fit. */
export interface BodyIssue {
  /** Member names and indexes, such as `items.0.price`; empty for the body itself. */
  readonly path: string;
  /** The schema's words, without the value. */
  readonly message: string;
}

const MOST_ISSUES = 10;
const LONGEST_PATH = 100;
const LONGEST_MESSAGE = 200;
/** Values below an issue's path that are looked for in its message. */
const MOST_VALUES = 1_000;
const HIDDEN = '…';

/**
 * The issues as they may be stored and logged: bounded, and without values of the body. Schema libraries quote what
 * they received (`Expected number but received "…"`), each in its own way: known forms are cut off, and the value at
 * the issue's path is removed wherever the message repeats it.
 */
export function shownIssues(issues: readonly StandardSchemaV1.Issue[], body: unknown): BodyIssue[] {
  return issues.slice(0, MOST_ISSUES).map(({ path = [], message }) => {
    const members = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
    const shownPath = members.map(String).join('.');
    return {
      path: clip(shownPath, LONGEST_PATH),
      message: clip(withoutValues(message, valueAt(body, members)), LONGEST_MESSAGE),
    };
  });
}

function withoutValues(message: string, value: unknown): string {
  const values = scalarsIn(value);
  if (values === undefined) return 'does not fit';
  // valibot: "… but received "x"", arktype: "… (was "x")"; of both, what comes before says enough.
  let shown = message.replace(/ but received .*$/s, '').replace(/ \(was .*$/s, '');
  for (const text of values) {
    for (const form of new Set([text, JSON.stringify(text).slice(1, -1)])) shown = blotOut(shown, form);
  }
  return shown;
}

/** A short value is replaced only where it is a whole word, so that the rest of the message stays readable. */
function blotOut(message: string, text: string): string {
  if (text.length > 3) return message.replaceAll(text, HIDDEN);
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return message.replace(new RegExp(String.raw`(?<!\w)${escaped}(?!\w)`, 'g'), HIDDEN);
}

/** The texts and numbers in a value, longest first; undefined when there are too many to look for. */
function scalarsIn(value: unknown): string[] | undefined {
  const found = new Set<string>();
  const open: unknown[] = [value];
  for (let next = 0; next < open.length; next += 1) {
    if (open.length > MOST_VALUES) return undefined;
    const node = open[next];
    if (isObject(node)) {
      for (const [name, child] of Object.entries(node)) {
        if (!Array.isArray(node)) found.add(name);
        open.push(child);
      }
    } else if (typeof node === 'string' || typeof node === 'number' || typeof node === 'bigint') {
      found.add(String(node));
    }
  }
  found.delete('');
  return [...found].sort((a, b) => b.length - a.length);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let node = body;
  for (const part of path) {
    if (!isObject(node)) return undefined;
    node = (node as Record<PropertyKey, unknown>)[part];
  }
  return node;
}

function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
