import { type Check, objectWith, required } from '../options/check-options.ts';

/** The store that a wrapper is put before. */
export function aStore(): Check {
  return required(objectWith('acquire', 'settle', 'extend', 'inspect'));
}
