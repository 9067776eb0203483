import { InvalidArgumentError } from 'commander';

/** The value of an option that takes an integer from 1 up. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Expected an integer from 1 up.');
}
