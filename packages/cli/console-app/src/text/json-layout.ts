/** Longer texts are shown as they are. */
const LONGEST = 1_000_000;

/**
 * JSON on several lines, or undefined for what is no JSON object or array. The text is laid out and not its value: a number
 * keeps the digits that no double holds.
 */
export function laidOutJson(text: string): string | undefined {
  if (text.length > LONGEST || !isObjectOrArray(text)) return undefined;
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []) {
    const closes = token === '}' || token === ']';
    const isFirst = before === '{' || before === '[';
    if (closes) depth -= 1;
    if (closes !== isFirst || before === ',') parts.push(`\n${'  '.repeat(Math.min(depth, 40))}`);
    parts.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    before = token;
  }
  return parts.join('');
}

function isObjectOrArray(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
