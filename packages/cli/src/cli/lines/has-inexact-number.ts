const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Returns whether a JSON text has a number that JavaScript cannot hold exactly, such as one of 20 digits. */
export function hasInexactNumber(json: string): boolean {
  const numbers = json.replaceAll(STRING, '""').match(NUMBER) ?? [];
  return numbers.some((number) => decimalOf(number) !== decimalOf(String(Number(number))));
}

/** Returns the canonical form of a decimal: its digits without zeros at either end, and an exponent. */
function decimalOf(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.split(/e/i);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === '' ? '0' : `${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
