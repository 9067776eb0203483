import type { Num } from '../api-types.ts';

/** With commas. Texts of numbers that a double cannot hold keep every digit; what is no number is a question mark. */
export function numberText(value: Num): string {
  if (typeof value === 'number') return Number.isFinite(value) ? value.toLocaleString('en-US') : '?';
  return /^-?\d+$/.test(value) ? BigInt(value).toLocaleString('en-US') : '?';
}

/** Such as `1 claim` and `1,204 claims`. */
export function counted(amount: Num, noun: string): string {
  return `${numberText(amount)} ${noun}${Number(amount) === 1 ? '' : 's'}`;
}

/** Such as `812`, `9.4 k`, `1.2 M`: for the axis of a plot. */
export function shortNumber(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}
