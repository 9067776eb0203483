import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A code of an error or warning, as its doc comment in `src` explains it. */
export interface ErrorCode {
  readonly code: string;
  /** Such as `src/keys/errors.ts:3`. */
  readonly place: string;
  /** What happened, and why. */
  readonly happened: string;
  readonly remedy: string;
}

/** Variables of the environment that look like codes. */
const VARIABLES = new Set(['BATCHLATCH_HTTP', 'BATCHLATCH_LOG_LEVEL']);

const SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => [path.posix.join('src', name), readFileSync(path.join('src', name), 'utf8')]),
);

/** Returns the codes that the code of `src` has, sorted. */
export function codesInSources(): string[] {
  const found = [...SOURCES.values()].flatMap((text) => [...text.matchAll(/'(BATCHLATCH_\w+)'/g)]);
  return [...new Set(found.map(([, code = '']) => code))].filter((code) => !VARIABLES.has(code)).toSorted();
}

/** Returns the codes that a doc comment with `@remarks` explains, sorted. */
export function documentedCodes(): ErrorCode[] {
  return [...SOURCES]
    .flatMap(([file, text]) => codesIn(text, file))
    .toSorted((one, other) => (one.code < other.code ? -1 : 1));
}

/** Reads doc comments whose summary ends with "Code: `…`." and whose `@remarks` say what to do. */
export function codesIn(source: string, file: string): ErrorCode[] {
  return [...source.matchAll(/\/\*\*(.*?)\*\//gs)].flatMap(({ 1: comment = '', index }) => {
    const [first = '', ...tags] = comment
      .replaceAll(/\n\s*\* ?/g, '\n')
      .split(/^@(?=\w)/m)
      .map((part) => part.replaceAll(/\s+/g, ' ').trim());
    const [, happened = '', code] = /^(.*?) ?Code: `(BATCHLATCH_\w+)`\.$/.exec(first) ?? [];
    const remarks = tags.find((tag) => tag.startsWith('remarks '));
    if (code === undefined || remarks === undefined) return [];
    const line = source.slice(0, index).split('\n').length;
    return [{ code, place: `${file}:${line}`, happened, remedy: remarks.slice('remarks '.length) }];
  });
}

/** Returns the section of a code. `example`: the message of an error as it was thrown. */
export function sectionOf({ code, happened, remedy }: ErrorCode, example: string): string {
  const fence = example.includes('`') ? '`` ' : '`';
  return `## ${code}

${linked(happened)}

**Solution:** ${linked(remedy)}

${fence}${example}${fence.split('').toReversed().join('')}
`;
}

/** Turns names of pages, such as `docs/keys.md#paths`, into links. */
function linked(text: string): string {
  return text.replaceAll(/\bdocs\/((?:[\w-]+\/)*)([\w-]+\.md)((?:#[\w-]+)?)/g, '[$2]($1$2$3)');
}
