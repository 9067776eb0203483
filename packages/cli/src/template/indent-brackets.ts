import { CST, Lexer } from 'yaml';

/** A limit, because each step reads the whole text. */
const MOST_STEPS = 100;

/**
 * Indents lists and mappings in brackets further than their keys, as YAML demands: the AWS and SAM CLIs read
 * them with any indentation. Returns the text unchanged if that does not mend it. Lines keep their numbers.
 */
export function withIndentedBrackets(text: string): string {
  let result = text;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const start = findBroken(result);
    if (start === undefined) return result;
    const end = start + (lengthOfBrackets(result.slice(start)) ?? Number.NaN);
    if (Number.isNaN(end)) return text;
    const column = start - (result.lastIndexOf('\n', start) + 1);
    const inside = result.slice(start, end).replaceAll('\n', `\n${' '.repeat(column + 1)}`);
    result = result.slice(0, start) + inside + result.slice(end);
  }
  return text;
}

/** Returns the offset of the outermost bracket that too small an indentation ends. */
function findBroken(text: string): number | undefined {
  const open: number[] = [];
  for (const { token, offset } of tokensOf(text)) {
    if (token === CST.FLOW_END) return open[0];
    if (token === '{' || token === '[') open.push(offset);
    if (token === '}' || token === ']') open.pop();
  }
  return undefined;
}

/** Returns the length of the brackets that a text begins with; undefined if they are not closed. */
function lengthOfBrackets(text: string): number | undefined {
  let depth = 0;
  for (const { token, offset } of tokensOf(text)) {
    if (token === CST.FLOW_END) return undefined;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0 && /^[}\]]$/.test(token)) return offset + 1;
  }
  return undefined;
}

/** Yields the tokens with their offsets, without scalars, which may consist of a bracket. */
function* tokensOf(text: string): Iterable<{ readonly token: string; readonly offset: number }> {
  let offset = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const isMark = token === CST.DOCUMENT || token === CST.SCALAR || token === CST.FLOW_END;
    if (!isScalar) yield { token, offset };
    isScalar = token === CST.SCALAR;
    if (!isMark) offset += token.length;
  }
}
