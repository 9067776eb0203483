/**
 * What a terminal acts upon instead of showing it: control characters, line separators, marks that turn the direction of
 * text, and characters without a shape, by which one key can be made to look like another.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** A text from a store, a queue or a service, made safe to show: what cannot be seen is written as `\u001B`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** JSON that is safe to show and means the same. `JSON.stringify` leaves some of it as it is. */
export function visibleJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent);
  // Its own line feeds are the layout; those of texts are escaped already.
  return json.replace(UNSEEN, (character) => (character === '\n' ? character : escaped(character)));
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`,
  ).join('');
}
