const BACKSLASH = 0x5c;

/** Where the string literal that starts at `start` ends: the index of its closing quote, or the text's length. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (index - before) % 2 === 0;
}
