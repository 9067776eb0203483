import type { Spread } from '../statistics.ts';

/** Three digits that count, with thousands separated. */
export function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** A median with its quartiles: `120 (115–131)`. */
export function spread({ median, low, high }: Spread): string {
  return `${number(median)} (${number(low)}–${number(high)})`;
}

/** `6.3×` */
export function times(ratio: number): string {
  return `${number(ratio)}×`;
}

/** `6.3× (5.9–6.6)` */
export function timesSpread({ median, low, high }: Spread): string {
  return `**${times(median)}** (${number(low)}–${number(high)})`;
}

export function kilobytes(bytes: number): string {
  return `${number(bytes / 1_024)} KB`;
}

export function megabytes(bytes: number): string {
  return `${number(bytes / 2 ** 20)} MB`;
}

/** A Markdown table; the first `textColumns` columns to the left, figures to the right. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns = 1,
): string {
  const rule = headings.map((_, index) => (index < textColumns ? '---' : '---:'));
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** `$1.370`: to a tenth of a cent. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(3)}`;
}

/** Of a share from 0 to 1: `91 %`. */
export function percent(share: number): string {
  return `${number(share * 100)} %`;
}
