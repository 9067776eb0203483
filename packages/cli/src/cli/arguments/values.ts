import { InvalidArgumentError } from 'commander';

/** Returns a parser for a whole number within these bounds. */
export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most.toLocaleString('en-US')}.`);
  };
}

/** Parses an http or https URL. */
export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Give a URL such as http://127.0.0.1:8000.');
}

/** Returns a parser for a text that is neither blank nor longer than this. */
export function textUpTo(longest: number): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && text.length <= longest) return text;
    throw new InvalidArgumentError(`Give 1 to ${longest} characters.`);
  };
}

/** Checks that a value is JSON, and returns its text. */
export function jsonText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new InvalidArgumentError(`Give JSON, such as '{"chargeId":"ch_1"}' or '"done"'.`);
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a time with its unit, such as `25s`, into milliseconds. */
export function duration(text: string): number {
  const ms = durationOf(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('Give a time with its unit, such as 500ms, 25s or 2m.');
}

const BYTES: Readonly<Record<string, number>> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Parses a size with its unit, such as `512mb`, in bytes. */
export function size(text: string): number {
  const [, number = '', unit = ''] = /^([1-9]\d{0,5})(kb|mb|gb)$/i.exec(text) ?? [];
  const bytes = BYTES[unit.toLowerCase()];
  if (bytes !== undefined) return Number(number) * bytes;
  throw new InvalidArgumentError('Give a size with its unit, such as 512mb or 2gb.');
}

/** Parses a rate, such as `100/1s` or `5/m`. */
export function rate(text: string): { readonly records: number; readonly perMs: number } {
  const [, number = '', time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const perMs = durationOf(/^[a-z]/.test(time) ? `1${time}` : time) ?? 0;
  if (number !== '' && perMs > 0) return { records: Number(number), perMs };
  throw new InvalidArgumentError('Give a number and a time, such as 100/1s or 5/m.');
}

function durationOf(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = UNITS_MS[unit];
  return ms === undefined ? undefined : Number(number) * ms;
}
