import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import { ConfigurationError } from '../base/errors.ts';
import { keyHash } from '../base/key-hash.ts';
import type { ClaimAdmin, ClaimPage, ClaimState } from '../claims/claim-admin.ts';
import { type Cost, inspectClaim, isOfOneKey, type ReadOptions, withCost } from './list-claims.ts';

/** A search for claims. */
export type ClaimSearch =
  | {
      /** The whole key. */
      readonly key: string;
    }
  | {
      /** The 16 hexadecimal digits that log lines show for the key. */
      readonly keyHash: string;
    }
  | {
      /** The record's id at its sender, such as the messageId of SQS, stored or at the end of the key. */
      readonly recordId: string;
    }
  | {
      /** The beginning of the key, such as `orders#` for one namespace. */
      readonly keyPrefix: string;
    }
  | {
      /**
       * Any of these: the key, its beginning or a whole part of it, such as an order id; its hash; a record's
       * id; the request id of the latest attempt. If it is a whole key, only that claim is found.
       */
      readonly text: string;
    };

/** Options of `findClaims`. */
export interface FindOptions extends ReadOptions {
  /** The number of matches that ends a page, from 1 to 1,000; a page may hold slightly more. Default 100. */
  readonly limit?: number;
  /** `next` of the previous page of the same search. Default: from the beginning. */
  readonly cursor?: string;
}

/** The states in search order: an index finds unfinished claims, and people search for them most. */
const STAGES: readonly (ClaimState | undefined)[] = ['in-progress', 'overdue', 'parked', undefined];
const SCAN = STAGES.length - 1;

/** The largest page, because few claims of a page match. */
const PAGE = 1_000;

/** The number of rows after which a call ends, however few matched. */
const MOST_ROWS = 10_000;

/**
 * Finds claims, page by page. A search by key, or by a text that is a key, reads one row. A search by key
 * hash ends at the first match, since only one claim can match. Other searches read claims that are in
 * progress, overdue and parked first if the table has the index, then all rows; each call reads about 10,000
 * rows at most. A page may be empty although more follow, and a claim that changes meanwhile may appear
 * twice.
 *
 * Throws a `ConfigurationError` for an invalid search, and a `StoreError` when the store fails.
 *
 * @param admin The admin of the store that is searched.
 * @param search What the claims are found by.
 * @param options The page size, and where to continue.
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
  if ('text' in search && cursor === undefined) {
    const claim = await claimNamed(checked('text', search.text), admin, read);
    if (claim !== undefined) return pageOfOne(claim);
  }
  return throughStages(admin, matcherOf(search), page, read);
}

/** Returns undefined also for a row that is no claim, or is of a newer format: others may match the text. */
async function claimNamed(text: string, admin: ClaimAdmin, options: ReadOptions): Promise<Claim | undefined> {
  if (Buffer.byteLength(text) > LONGEST_KEY_BYTES) return undefined;
  try {
    return await inspectClaim(admin, text, options);
  } catch (error) {
    if (isOfOneKey(error)) return undefined;
    throw error;
  }
}

/** DynamoDB's longest partition key. */
const LONGEST_KEY_BYTES = 2_048;

interface Matcher {
  isMatch(claim: Pick<Claim, 'key' | 'recordId' | 'lockedBy'>): boolean;
  /** Whether only one claim can match. */
  readonly isOnly: boolean;
}

function matcherOf(
  search: Extract<ClaimSearch, { keyHash: string } | { recordId: string } | { text: string }>,
): Matcher {
  if ('text' in search) return { isOnly: false, isMatch: textMatcher(checked('text', search.text)) };
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

/** Matches the id only as a whole, not as the end of a longer one: a person may release what is found. */
function endsWithWhole(key: string, id: string): boolean {
  return key.endsWith(id) && !/[\w-]/.test(key.charAt(key.length - id.length - 1));
}

function textMatcher(text: string): Matcher['isMatch'] {
  const hash = /^[0-9a-f]{16}$/i.test(text) ? text.toLowerCase() : undefined;
  return ({ key, recordId, lockedBy = '' }) =>
    recordId === text ||
    key.startsWith(text) ||
    hasWhole(key, text) ||
    lockedBy.split(' ').includes(text) ||
    (hash !== undefined && keyHash(key) === hash);
}

/** Matches a part of the key only as a whole: `o-1` is not a part of `orders#v1:o-10`. */
function hasWhole(key: string, part: string): boolean {
  for (let at = key.indexOf(part); at >= 0; at = key.indexOf(part, at + 1)) {
    const around = key.charAt(at - 1) + key.charAt(at + part.length);
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
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
