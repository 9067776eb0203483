import { InvalidArgumentError } from 'commander';

/** Reads an option's value as a whole number in these bounds. */
export function integerBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most.toLocaleString('en-US')}.`);
  };
}

/** Reads an option's value as an http or https URL. */
export function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Give a URL such as http://127.0.0.1:8000.');
}

/** Reads an option's value as a text that may not be empty or longer than this. */
export function textUpTo(longest: number): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && text.length <= longest) return text;
    throw new InvalidArgumentError(`Give 1 to ${longest} characters.`);
  };
}

/** Reads an option's value as JSON, and keeps its text. */
export function jsonText(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new InvalidArgumentError(`Give JSON, such as '{"chargeId":"ch_1"}' or '"done"'.`);
  }
}
