import { type Check, objectWith, required } from '../options/check-options.ts';

/** The store that a wrapper takes. */
export function aStore(): Check {
  return required(objectWith('acquire', 'settle', 'extend', 'inspect'));
}
