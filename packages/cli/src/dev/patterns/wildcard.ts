import { Refusal } from './refusal.ts';
import type { ValueTest } from './value-test.ts';

/** Compiles a wildcard: `*` matches any text, also an empty one; `\*` and `\\` match themselves. */
export function wildcardTest(pattern: string, where: string): ValueTest {
  const parts = partsOf(pattern, where);
  return (value) => typeof value === 'string' && fits(value, parts);
}

/** Returns the texts between the asterisks. */
function partsOf(pattern: string, where: string): string[] {
  const parts = [''];
  let isAfterAsterisk = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] as string;
    if (character === '*') {
      if (isAfterAsterisk)
        throw new Refusal(`\`wildcard\` of ${where} has two asterisks one after the other`);
      parts.push('');
    } else if (character === '\\') {
      index += 1;
      const escaped = pattern[index];
      if (escaped !== '*' && escaped !== '\\') {
        throw new Refusal(`\`wildcard\` of ${where} has a backslash that no asterisk or backslash follows`);
      }
      parts.push((parts.pop() ?? '') + escaped);
    } else {
      parts.push((parts.pop() ?? '') + character);
    }
    isAfterAsterisk = character === '*';
  }
  return parts;
}

/** Matches the first part at the start, the last at the end, and the others in order between them. */
function fits(value: string, parts: readonly string[]): boolean {
  const [first = ''] = parts;
  if (parts.length === 1) return value === first;
  const last = parts.at(-1) ?? '';
  const end = value.length - last.length;
  if (!value.startsWith(first) || !value.endsWith(last) || end < first.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
