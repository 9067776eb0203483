import { stringifyChunked } from '@discoveryjs/json-ext';

/**
 * Characters that a terminal interprets or does not show: control characters, line separators, marks that
 * reverse text, and invisible characters, which can make two keys look the same.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/**
 * Commands that CI systems read in a log: `::error` at the start of a word (GitHub Actions), and anywhere
 * `##vso[` (Azure Pipelines), `##[` (GitHub Actions) and `##teamcity[`.
 */
const COMMAND_OF_CI = /(?<!\S):(?=:[a-z])|#(?=#[a-z]*\[)/gi;

/** Returns a foreign text with the characters above escaped, as in `\u001B`. */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, escaped).replace(COMMAND_OF_CI, escaped);
}

/** Returns JSON with the same meaning that is safe to show. */
export function visibleJson(value: unknown, indent?: number): string {
  return visibleJsonText(JSON.stringify(value, undefined, indent));
}

/** Yields an indented document that is safe to show, some lines at a time: one string has at most 512 MB. */
export function* visibleJsonLines(value: unknown): Generator<string> {
  let line = '';
  for (const chunk of stringifyChunked(value, { space: 2 })) {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) yield visibleJsonText(line + chunk.slice(0, end));
    line = end > 0 ? chunk.slice(end) : line + chunk;
  }
  yield visibleJsonText(`${line}\n`);
}

/** Returns the JSON text with the same meaning that is safe to show. */
export function visibleJsonText(json: string): string {
  // Line feeds in `json` are layout; `JSON.stringify` has escaped those inside strings. No JSON value begins
  // with `::`, and only strings contain `##`.
  return json
    .replace(UNSEEN, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)))
    .replace(COMMAND_OF_CI, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`,
  ).join('');
}
