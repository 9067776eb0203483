import { endOfString } from './json-text.ts';
import type { BatchRecord } from './record.ts';
import { type ExactReader, isTextRecord } from './text-record.ts';

/** Matches numbers that a double may round: it keeps 15 digits and two-digit exponents exactly. */
const SUSPICIOUS = /[0-9](?:[0-9.]{15}|[eE][+-]?[0-9]{3})/;

const QUOTE = 0x22;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The JSON text that replaces an inexact number. It parses to `Infinity`, which no JSON value is. */
export const INEXACT = '1e999';

/** Returns whether a text may contain an inexact number; it may report too many, never too few. */
export function mayBeInexact(text: string): boolean {
  return SUSPICIOUS.test(text);
}

/** Returns whether the double of a decimal literal, in its shortest form, is the same number. */
export function isExact(literal: string): boolean {
  const number = Number(literal);
  return Number.isFinite(number) && decimalOf(literal) === decimalOf(String(number));
}

/** Replaces inexact numbers: `JSON.parse` would read 1.000000000000000001 and 1.000000000000000002 as 1. */
export function withoutInexact(
  text: string,
  replacement: string | ((literal: string) => string) = INEXACT,
): string {
  if (!mayBeInexact(text)) return text;
  let result = '';
  let copied = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (isNumberCharacter(code)) {
      const start = index;
      while (isNumberCharacter(text.charCodeAt(index + 1))) index += 1;
      const literal = text.slice(start, index + 1);
      if (mayBeInexact(literal) && NUMBER.test(literal) && !isExact(literal)) {
        result += text.slice(copied, start);
        result += typeof replacement === 'string' ? replacement : replacement(literal);
        copied = index + 1;
      }
    }
  }
  return result + text.slice(copied);
}

/** Parses JSON, with `Infinity` for numbers that a double cannot hold exactly; no key can be made of it. */
export function parseExactly(text: string): unknown {
  return JSON.parse(withoutInexact(text));
}

/**
 * Parses JSON, with another double than `JSON.parse` for numbers that a double cannot hold exactly: the next
 * one, which fits most schemas too. What is made of both depends on the number where it differs.
 */
export function parseNearby(text: string): unknown {
  return JSON.parse(withoutInexact(text, nextDouble));
}

function nextDouble(literal: string): string {
  const double = new DataView(new ArrayBuffer(8));
  double.setFloat64(0, Number(literal));
  double.setBigInt64(0, double.getBigInt64(0) + 1n);
  const next = double.getFloat64(0);
  return Number.isFinite(next) ? String(next) : '0';
}

/** Matches the characters of numbers; outside strings, only the `e` of `true` and `false` matches too. */
function isNumberCharacter(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || // 0 to 9
    code === 0x2d || // -
    code === 0x2b || // +
    code === 0x2e || // .
    code === 0x65 || // e
    code === 0x45 // E
  );
}

/** Normalises a decimal, without its sign: the digits without leading and trailing zeros, and an exponent. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.replace(/^-/, '').split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === 0x30) length -= 1;
  return `${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

/**
 * Returns the record's body for keys, with `Infinity` for numbers that a double cannot hold exactly: two
 * numbers that round alike must not share a key. Throws a `MalformedRecordError` if no key can be made.
 */
export function exactBody(record: BatchRecord): unknown {
  return isTextRecord(record) ? record.bodyReadBy(EXACT) : record.body;
}

const EXACT: ExactReader = {
  // JSON inside a JSON string may have its digits escaped.
  mayDiffer: (text, isEnveloped) => mayBeInexact(text) || (isEnveloped && text.includes(String.raw`\u00`)),
  parse: parseExactly,
};
