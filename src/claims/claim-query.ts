import type { Claim } from './claim.ts';
import { ConfigurationError } from '../base/errors.ts';
import { type ClaimQuery, type ClaimState, stateOf } from './claim-admin.ts';
import { isForgotten } from './transitions.ts';

const DEFAULT_LIMIT = 100;
const HIGHEST_LIMIT = 1_000;

const STATES: readonly string[] = [
  'in-progress',
  'overdue',
  'failed',
  'parked',
  'completed',
] satisfies ClaimState[];

export interface CheckedQuery {
  readonly state?: ClaimState;
  readonly keyPrefix: string;
  readonly limit: number;
}

/** Checks a query and fills in defaults. Throws a `ConfigurationError` if it is invalid. */
export function checkedQuery(query: ClaimQuery): CheckedQuery {
  const { state, keyPrefix = '', limit = DEFAULT_LIMIT } = query;
  if (state !== undefined && !STATES.includes(state)) {
    throw new ConfigurationError(`Expected \`state\` to be one of ${STATES.join(', ')}, got \`${state}\``);
  }
  if (typeof keyPrefix !== 'string')
    throw new ConfigurationError(`Expected \`keyPrefix\` to be a string, got ${typeof keyPrefix}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > HIGHEST_LIMIT) {
    throw new ConfigurationError(
      `Expected \`limit\` to be an integer from 1 to ${HIGHEST_LIMIT}, got \`${limit}\``,
    );
  }
  return { keyPrefix, limit, ...(state !== undefined && { state }) };
}

/** Returns whether a query asks for a claim, at a time in epoch milliseconds. */
export function isAskedFor(
  claim: Claim,
  { state, keyPrefix }: Pick<CheckedQuery, 'state' | 'keyPrefix'>,
  now: number,
): boolean {
  if (isForgotten(claim, now) || !claim.key.startsWith(keyPrefix)) return false;
  return state === undefined || stateOf(claim, now) === state;
}

/** Encodes a position in the answers of one query as opaque text. */
export function toCursor(query: Omit<CheckedQuery, 'limit'>, position: unknown): string {
  return Buffer.from(JSON.stringify([...identityOf(query), position])).toString('base64url');
}

/** Returns the unchecked position. Throws a `ConfigurationError` if the cursor is of another query. */
export function positionIn(cursor: string, query: Omit<CheckedQuery, 'limit'>): unknown {
  const [version, state, keyPrefix, position] = partsOf(cursor);
  const mine = identityOf(query);
  if (version !== mine[0] || position === undefined) throw notACursor();
  if (state !== mine[1] || keyPrefix !== mine[2]) {
    throw new ConfigurationError(
      'The cursor belongs to another query: continue with the same state and key prefix',
    );
  }
  return position;
}

export function notACursor(): ConfigurationError {
  return new ConfigurationError('Expected `cursor` to be the `next` of a page, unchanged');
}

const VERSION = 1;

function identityOf({ state, keyPrefix }: Omit<CheckedQuery, 'limit'>): unknown[] {
  return [VERSION, state ?? '', keyPrefix];
}

/** Longer than any cursor made here: a position may hold the longest key for each shard of an index. */
const LONGEST_CURSOR = 1_000_000;

function partsOf(cursor: string): unknown[] {
  if (typeof cursor !== 'string' || cursor.length > LONGEST_CURSOR) throw notACursor();
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts)) return parts;
  } catch {
    // Falls through.
  }
  throw notACursor();
}
