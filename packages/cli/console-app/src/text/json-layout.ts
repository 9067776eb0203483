/** Longer texts are shown as they are. */
const LONGEST = 1_000_000;

/**
 * Returns JSON on several lines; undefined if the text is not a JSON object or array. It lays out the text,
 * not the value, so numbers keep all digits.
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
