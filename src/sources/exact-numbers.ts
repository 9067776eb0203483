import { endOfString } from './json-text.ts';
import type { BatchRecord } from './record.ts';
import { type ExactReader, isTextRecord } from './text-record.ts';

/**
 * What only a number with more digits or a larger exponent than a double always holds can match: 15 digits and two digits
 * of exponent come back as they were. Texts without a match, which is nearly all of them, need no second look.
 */
const SUSPICIOUS = /[0-9](?:[0-9.]{15}|[eE][+-]?[0-9]{3})/;

const QUOTE = 0x22;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What stands in a JSON text for a number that was not exact: it is read as an infinity, which no JSON value is. */
export const INEXACT = '1e999';

/** Whether a text may hold such a number. Fast, and wrong in one direction only. */
export function mayBeInexact(text: string): boolean {
  return SUSPICIOUS.test(text);
}

/** Whether the double that a decimal literal is read as, written as short as can be, is the same number. */
export function isExact(literal: string): boolean {
  const number = Number(literal);
  return Number.isFinite(number) && decimalOf(literal) === decimalOf(String(number));
}

/**
 * A JSON text whose inexact numbers are replaced. JSON's grammar has any number of digits and `JSON.parse` rounds
 * them: 1.000000000000000001 and 1.000000000000000002 are both 1 if only the value is seen.
 */
export function withoutInexact(text: string, replacement: string = INEXACT): string {
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
        result += text.slice(copied, start) + replacement;
        copied = index + 1;
      }
    }
  }
  return result + text.slice(copied);
}

/** As `JSON.parse`, but a number that a double does not hold exactly is `Infinity`, which makes no key. */
export function parseExactly(text: string): unknown {
  return JSON.parse(withoutInexact(text));
}

/** Digits, signs, the point and the exponent's letter; outside strings, `true`, `false` and `null` share the `e` alone. */
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

/** The one way to write a decimal without its sign: its digits, without zeros at the ends, and an exponent. */
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
 * The record's body, in which a number that a double does not hold exactly is `Infinity`: keys are made of it, and two
 * numbers that are read as one must not make one key. Throws a `MalformedRecordError` for bytes that are no UTF-8.
 */
export function exactBody(record: BatchRecord): unknown {
  return isTextRecord(record) ? record.bodyReadBy(EXACT) : record.body;
}

const EXACT: ExactReader = {
  // A text inside a text may have its digits escaped.
  mayDiffer: (text, isEnveloped) => mayBeInexact(text) || (isEnveloped && text.includes(String.raw`\u00`)),
  parse: parseExactly,
};
