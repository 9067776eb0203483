import Table from 'cli-table3';
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
  const table = new Table({
    chars: NO_FRAME,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    head: kept.map((index) => (columns[index] as Column).heading),
    colAligns: kept.map((index) => (columns[index]?.isRight === true ? 'right' : 'left')),
    // cli-table3 counts the right padding as part of the column.
    colWidths: widths.map((size) => size + GAP),
    truncate: '…',
  });
  for (const row of rows) table.push(kept.map((index) => row[index] ?? ''));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
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

const NO_FRAME = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((place) => [place, '']),
);
