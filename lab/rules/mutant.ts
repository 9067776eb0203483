import { markedRules } from './marked-rules.ts';

/** A change of the source that takes one rule out; a test has to notice. */
export interface Mutant {
  readonly name: string;
  readonly takesOut: string;
  readonly changes: readonly Change[];
  /** The test that notices, where no simulation does. */
  readonly pinnedBy?: string;
}

/** What happens to the code that is marked as a rule: it is removed, or its value becomes another. */
export type Change = { readonly rule: string } & (
  | { readonly removed: true }
  | { readonly value: string | ((it: string, parts: readonly string[]) => string) }
);

/** A mutant of one change, whose value is given; undefined: the code is removed. */
export function one(name: string, takesOut: string, rule: string, value?: NewValue): Mutant {
  return { name, takesOut, changes: [value === undefined ? { rule, removed: true } : { rule, value }] };
}

/** A text, or a function that makes it from the value as it is and from its operands. */
export type NewValue = Extract<Change, { readonly value: unknown }>['value'];

/** The text of a file with those of the changes whose rules are in it. Throws where a rule has no value to replace. */
export function mutated(text: string, changes: readonly Change[]): string {
  const rules = markedRules(text);
  const edits = changes.flatMap((change) =>
    rules.filter(({ name }) => name === change.rule).map((rule) => ({ change, rule })),
  );
  // From the end, so that the places before stay as they are.
  edits.sort((a, b) => b.rule.span.start - a.rule.span.start);
  let result = text;
  for (const { change, rule } of edits) {
    const span = 'value' in change ? rule.value : rule.span;
    if (span === undefined) throw new Error(`The code of the rule ${rule.name} has no value to replace`);
    const textOf = ({ start, end }: typeof span): string => text.slice(start, end);
    const replacement = 'value' in change ? newValue(change.value, textOf(span), rule.parts.map(textOf)) : '';
    result = result.slice(0, span.start) + replacement + result.slice(span.end);
  }
  return result;
}

function newValue(value: NewValue, it: string, parts: readonly string[]): string {
  return typeof value === 'string' ? value : value(it, parts);
}
