import width from 'string-width';

/** A column of a table. */
export interface Column {
  readonly heading: string;
  /** The smallest width to cut cells to on a narrow terminal; without it, cells are never cut. */
  readonly min?: number;
  /** Whether the column is dropped if the terminal is still too narrow. The last such column goes first. */
  readonly isOptional?: boolean;
  readonly isRight?: boolean;
}

const GAP = 2;

/**
 * Returns the lines of a table without a frame, at most `maxWidth` characters wide. Cells are cut with `…`,
 * never wrapped. Each cell holds one line, and may be coloured.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): string[] {
  const { kept, widths } = fit(columns, rows, maxWidth);
  const line = (row: readonly string[]): string =>
    kept
      .map((index, place) =>
        cell(row[index] ?? '', widths[place] as number, columns[index]?.isRight === true),
      )
      .join(' '.repeat(GAP))
      .trimEnd();
  return [line(columns.map(({ heading }) => heading)), ...rows.map(line)];
}

function cell(text: string, size: number, isRight: boolean): string {
  const shown = width(text) > size ? cut(text, size) : text;
  const padding = ' '.repeat(size - width(shown));
  return isRight ? padding + shown : shown + padding;
}

const ESCAPE = '\u001B';
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cuts a text to this width, of which `…` is a part, and keeps its colours, also the end of each. */
function cut(text: string, size: number): string {
  let left = size - 1;
  return text
    .split(ESCAPE)
    .map((piece, place) => {
      const end = place === 0 ? 0 : piece.indexOf('m') + 1;
      const colour = place === 0 ? '' : ESCAPE + piece.slice(0, end);
      if (left < 0) return colour;
      const words = piece.slice(end);
      const kept = beginningOf(words, left);
      left = kept === words ? left - width(words) : -1;
      return colour + kept + (kept === words ? '' : '…');
    })
    .join('');
}

/** Returns as much of an uncoloured text as fits. */
function beginningOf(text: string, size: number): string {
  if (width(text) <= size) return text;
  if (/^[ -~]*$/.test(text)) return text.slice(0, size);
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    if (width(kept + segment) > size) break;
    kept += segment;
  }
  return kept;
}

function fit(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): { readonly kept: readonly number[]; readonly widths: readonly number[] } {
  const natural = columns.map(({ heading }, index) =>
    rows.reduce((widest, row) => Math.max(widest, width(row[index] ?? '')), width(heading)),
  );
  const kept = columns.map((_, index) => index);
  const leastOf = (index: number): number =>
    Math.min(natural[index] as number, columns[index]?.min ?? Number.POSITIVE_INFINITY);
  const total = (widthOf: (index: number) => number): number =>
    kept.reduce((sum, index) => sum + widthOf(index), GAP * (kept.length - 1));

  for (let index = columns.length - 1; index >= 0 && total(leastOf) > maxWidth; index -= 1) {
    if (columns[index]?.isOptional === true) kept.splice(kept.indexOf(index), 1);
  }
  const widths = [...natural];
  const least = total(leastOf) > maxWidth ? () => 3 : leastOf;
  while (total((index) => widths[index] as number) > maxWidth) {
    const cut = kept
      .filter((index) => (widths[index] as number) > least(index))
      .sort((a, b) => (widths[b] as number) - (widths[a] as number))[0];
    if (cut === undefined) break;
    widths[cut] = (widths[cut] as number) - 1;
  }
  return { kept, widths: kept.map((index) => widths[index] as number) };
}
