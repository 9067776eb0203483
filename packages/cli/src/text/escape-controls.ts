/**
 * What a terminal acts upon instead of showing it: control characters, line separators, marks that turn the
 * direction of text, and characters without a shape, by which one key can be made to look like another.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/**
 * Commands that CI systems read in a log: `::error` where a line may begin, of GitHub Actions, and
 * anywhere in a line `##vso[` of Azure Pipelines, `##[` of GitHub Actions and `##teamcity[`.
 */
const COMMAND_OF_CI = /(?<!\S):(?=:[a-z])|#(?=#[a-z]*\[)/gi;

/**
 * A text from a store, a queue, a service or a template, made safe to show: what acts is written as
 * `\u001B`.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSEEN, escaped).replace(COMMAND_OF_CI, escaped);
}

/** JSON that is safe to show and means the same. `JSON.stringify` leaves some of it as it is. */
export function visibleJson(value: unknown, indent?: number): string {
  return visibleJsonText(JSON.stringify(value, undefined, indent));
}

/** A JSON text that is safe to show and means the same. */
export function visibleJsonText(json: string): string {
  // Its own line feeds are the layout; those of texts are escaped already. No value begins with `::`, and
  // only texts have `##`.
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
