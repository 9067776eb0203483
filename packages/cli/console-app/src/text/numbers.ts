import type { Num } from '../api-types.ts';

/** Returns a number with commas and all its digits; a question mark if the value is not a number. */
export function numberText(value: Num): string {
  if (typeof value === 'number') return Number.isFinite(value) ? value.toLocaleString('en-US') : '?';
  return /^-?\d+$/.test(value) ? BigInt(value).toLocaleString('en-US') : '?';
}

/** Returns a text such as `1 claim` or `1,204 claims`. */
export function counted(amount: Num, noun: string): string {
  return `${numberText(amount)} ${noun}${Number(amount) === 1 ? '' : 's'}`;
}

/** Returns a text such as `812`, `9.4 k`, `1.2 M`, for the axis of a plot. */
export function shortNumber(value: number): string {
  return value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 });
}
