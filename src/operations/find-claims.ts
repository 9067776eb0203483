import { defined } from '../base/defined.ts';
import { Buffer } from 'node:buffer';
import type { Claim } from '../claims/claim.ts';
import { ConfigurationError } from '../base/errors.ts';
import { keyHash } from '../base/key-hash.ts';
import type { ClaimAdmin, ClaimPage, ClaimState } from '../claims/claim-admin.ts';
import { type Cost, inspectClaim, type ReadOptions, withCost } from './list-claims.ts';

/** What a claim is found by. */
export type ClaimSearch =
  | {
      /** Its whole key. */
      readonly key: string;
    }
  | {
      /** The 16 hexadecimal digits that log lines show of its key. */
      readonly keyHash: string;
    }
  | {
      /**
       * What identifies its record to the sender, such as the messageId of SQS: the claim has it, or a key that ends
       * with it.
       */
      readonly recordId: string;
    }
  | {
      /** The beginning of its key, such as `orders#`, for the keys of a namespace. */
      readonly keyPrefix: string;
    };

/** Options of `findClaims`. */
export interface FindOptions extends ReadOptions {
  /** A page ends when so many are found, from 1 to 1,000; it may hold some more. Default 100. */
  readonly limit?: number;
  /** `next` of the page before, of the same search. Default: from the beginning. */
  readonly cursor?: string;
}

/** Claims that wait for somebody are looked through first: they are what is searched for most, and an index has them. */
const STAGES: readonly (ClaimState | undefined)[] = ['in-progress', 'overdue', 'parked', undefined];
const SCAN = STAGES.length - 1;

/** Few of the claims of a page are those that are searched for. */
const PAGE = 1_000;

/** A call ends when so many rows have been read, however few were found. */
const MOST_ROWS = 10_000;

/**
 * Finds claims, a page at a time. A key is read by itself, and of a key hash there is one claim at most: the search is over
 * when it is found. Otherwise the claims that are in progress, overdue and parked are looked through first where the
 * table has the index, then all rows, at most about 10,000 with each call; a page may be empty and still not be the last,
 * and a claim that changes meanwhile may be given twice.
 *
 * Throws a `ConfigurationError` for a search that cannot be, and a `StoreError` when the store fails.
 *
 * @param admin Of the store whose claims are searched.
 * @param search What is known of the claims.
 * @param options How many at once, and where to go on.
 */
export async function findClaims(
  admin: ClaimAdmin,
  search: ClaimSearch,
  options: FindOptions = {},
): Promise<ClaimPage> {
  const { limit, cursor, signal } = options;
  const read = defined({ signal });
  const page = defined({ limit, cursor });
  if ('key' in search) return pageOfOne(await inspectClaim(admin, checked('key', search.key), read));
  if ('keyPrefix' in search) {
    return admin.list({ keyPrefix: checked('keyPrefix', search.keyPrefix), ...page }, read);
  }
  return throughStages(admin, matcherOf(search), page, read);
}

interface Matcher {
  isMatch(claim: Pick<Claim, 'key' | 'recordId'>): boolean;
  /** There can be no other. */
  readonly isOnly: boolean;
}

function matcherOf(search: Extract<ClaimSearch, { keyHash: string } | { recordId: string }>): Matcher {
  if ('keyHash' in search) {
    const wanted = checked('keyHash', search.keyHash).toLowerCase();
    if (!/^[0-9a-f]{16}$/.test(wanted)) {
      throw new ConfigurationError('Expected `keyHash` to be the 16 hexadecimal digits that log lines show');
    }
    return { isOnly: true, isMatch: ({ key }) => keyHash(key) === wanted };
  }
  const id = checked('recordId', search.recordId);
  return { isOnly: false, isMatch: ({ key, recordId }) => recordId === id || endsWithWhole(key, id) };
}

/** Not with the last digits of another id: a person may be about to release what is found. */
function endsWithWhole(key: string, id: string): boolean {
  return key.endsWith(id) && !/[\w-]/.test(key.charAt(key.length - id.length - 1));
}

async function throughStages(
  admin: ClaimAdmin,
  { isMatch, isOnly }: Matcher,
  { limit = 100, cursor }: { readonly limit?: number; readonly cursor?: string },
  options: ReadOptions,
): Promise<ClaimPage> {
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE) {
    throw new ConfigurationError(`Expected \`limit\` to be an integer from 1 to ${PAGE}, got \`${limit}\``);
  }
  let [stage, inner] = cursor === undefined ? START : positionIn(cursor);
  const found = new Map<string, Claim>();
  let cost: Cost = { readBy: 'index', rowsRead: 0 };
  for (;;) {
    const state = STAGES[stage];
    const page = await admin.list(defined({ limit: PAGE, state, cursor: inner }), options);
    cost = withCost(cost, { ...page, ...defined({ newer: page.newer?.filter((row) => isMatch(row)) }) });
    for (const claim of page.claims) if (isMatch(claim)) found.set(claim.key, claim);
    if (isOnly && found.size > 0) return { ...cost, claims: [...found.values()] };
    inner = page.next;
    // Without an index, the rows of one state cost as much as all rows.
    if (page.readBy === 'scan' && stage !== SCAN) [stage, inner] = [SCAN, undefined];
    else if (inner === undefined) stage += 1;
    if (stage > SCAN) return { ...cost, claims: [...found.values()] };
    if (found.size >= limit || cost.rowsRead >= MOST_ROWS) {
      return { ...cost, claims: [...found.values()], next: cursorOf(stage, inner) };
    }
  }
}

const START: readonly [number, string | undefined] = [0, undefined];

function pageOfOne(claim: Claim | undefined): ClaimPage {
  const claims = claim === undefined ? [] : [claim];
  return { claims, readBy: 'index', rowsRead: claims.length };
}

function checked(name: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ConfigurationError(`Expected \`${name}\` to be a non-empty string`);
}

function cursorOf(stage: number, inner: string | undefined): string {
  return Buffer.from(JSON.stringify([stage, inner ?? null])).toString('base64url');
}

function positionIn(cursor: string): readonly [number, string | undefined] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [stage, inner] = Array.isArray(parts) ? (parts as unknown[]) : [];
    const isInner = inner === null || typeof inner === 'string';
    if (Number.isInteger(stage) && (stage as number) >= 0 && (stage as number) <= SCAN && isInner) {
      return [stage as number, inner ?? undefined];
    }
  } catch {
    // Falls through.
  }
  throw new ConfigurationError('Expected `cursor` to be the `next` of a page, unchanged');
}
