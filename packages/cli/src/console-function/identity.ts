import type { ConsoleRole } from '../console/caller.ts';
import type { RoleLists } from './config.ts';

/** A person, as AWS verified. */
export interface Identity {
  /** The name that is kept with each change: at most 128 characters. */
  readonly operator: string;
  readonly role: ConsoleRole;
}

/** A request without a verified identity or without a role. `why` is for the function's log alone. */
export class NotLetIn extends Error {
  override readonly name = 'NotLetIn';
  readonly why: string;
  /** The name of a person who has no role. */
  readonly operator: string | undefined;

  constructor(why: string, operator?: string) {
    super('The console does not let this request in.');
    this.why = why;
    this.operator = operator;
  }
}

const LONGEST_OPERATOR = 128;
/** Control characters, lone surrogates and characters that reverse text. */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the person with the highest role that one of `values` has. Throws `NotLetIn` without one. */
export function identityOf(name: string, values: readonly string[], roles: RoleLists): Identity {
  // Cut first: the cut may halve a character.
  const operator = name.slice(0, LONGEST_OPERATOR).replaceAll(UNSAFE, '?');
  const has = (list: readonly string[]): boolean => values.some((value) => list.includes(value));
  if (has(roles.operate)) return { operator, role: 'operate' };
  if (has(roles.read)) return { operator, role: 'read' };
  throw new NotLetIn('no role', operator);
}
