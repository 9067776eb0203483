import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isObject } from '../base/is-object.ts';

/** A problem of a body. */
export interface BodyIssue {
  /** The path of member names and indexes, such as `items.0.price`; empty for the body itself. */
  readonly path: string;
  /** The schema's message, without the value. */
  readonly message: string;
}

const MOST_ISSUES = 10;
const LONGEST_PATH = 100;
const LONGEST_MESSAGE = 200;
/** The most values below an issue's path that are removed from its message. */
const MOST_VALUES = 1_000;

/**
 * Returns issues without values of the body, bounded. Schema libraries quote values, each in its own form:
 * known forms are cut off, and other values at the issue's path are blotted out.
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
  // valibot: "… but received "x"", arktype: "… (was "x")". The text before says enough.
  let shown = message.replace(/ but received .*$/s, '').replace(/ \(was .*$/s, '');
  for (const text of values) {
    for (const form of new Set([text, JSON.stringify(text).slice(1, -1)])) shown = blotOut(shown, form);
  }
  return shown;
}

/** Replaces short values only as whole words, so that the rest of the message stays readable. */
function blotOut(message: string, text: string): string {
  if (text.length > 3) return message.replaceAll(text, '…');
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return message.replace(new RegExp(String.raw`(?<!\w)${escaped}(?!\w)`, 'g'), '…');
}

/** Returns the member names, texts and numbers in a value, longest first; undefined if there are too many. */
function scalarsIn(value: unknown): string[] | undefined {
  const found = new Set<string>();
  const open: unknown[] = [value];
  for (const node of open) {
    if (open.length > MOST_VALUES) return undefined;
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
  const memberOf = (node: unknown, part: PropertyKey): unknown =>
    isObject(node) ? (node as Record<PropertyKey, unknown>)[part] : undefined;
  return path.reduce(memberOf, body);
}

function clip(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
