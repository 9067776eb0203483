import { defined } from '../base/defined.ts';
import type { AdoptOutcome } from '../claims/adoption.ts';
import type { Claim } from '../claims/claim.ts';
import { DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigurationError, hasCode, mayPass } from '../base/errors.ts';
import { type ClaimAdmin, type ClaimPage, type ClaimQuery, stateOf } from '../claims/claim-admin.ts';
import {
  aBoolean,
  aFunction,
  aString,
  type Check,
  checkOptionsOf,
  objectWith,
} from '../options/check-options.ts';
import { sendTwice, type StoreRequest } from './change-claims.ts';
import { aSignal } from './list-claims.ts';

/** Options of `copyClaims`. */
export interface CopyOptions {
  /** Copies only keys with this prefix. Default: all. */
  readonly keyPrefix?: string;
  /** `next` of an earlier copy, to continue it. Default: from the beginning. */
  readonly cursor?: string;
  /**
   * Whether to copy a claim without its result if the result is too long for the target store. The key stays
   * done; a repeated call (`withIdempotency`, HTTP) gets no result. Default false: such a claim fails.
   */
  readonly leaveOutLongResults?: boolean;
  /**
   * Called after each page.
   *
   * @param copy The totals so far.
   */
  readonly onProgress?: (copy: ClaimsCopy) => void;
  /**
   * Called for each claim that could not be copied.
   *
   * @param claim The claim.
   * @param error Why the target store did not take it.
   */
  readonly onFailure?: (claim: Claim, error: Error) => void;
  /** Once aborted, nothing more is read or written. The call returns the totals so far, with `next`. */
  readonly signal?: AbortSignal;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** The result of copying claims. */
export interface ClaimsCopy {
  /** The number of claims written to the target store. */
  readonly copied: number;
  /** Claims not written because the target has rows for their keys: of an earlier copy, or of work there. */
  readonly present: number;
  /** How many of both had a live lease. If there are any, work goes on in the source store. */
  readonly running: number;
  /** How many were copied without their results (`leaveOutLongResults`). */
  readonly withoutResult: number;
  /** The number of rows that are not claims. */
  readonly unreadable: number;
  /** Rows that a newer version of batchlatch wrote and this version cannot copy: use the newer one. */
  readonly newer: number;
  /** The number of claims that could not be written. */
  readonly failed: number;
  /** The number of rows read. */
  readonly rowsRead: number;
  /** Whether every claim was read. */
  readonly isWhole: boolean;
  /** The cursor for the next call; absent at the end. */
  readonly next?: string;
}

/** The page size. Results are held in memory, so a page is no longer than this. */
const PAGE = 100;

/**
 * Copies claims from one store to another, with their owners, attempts, times, results, errors and history. A
 * claim whose key has a row in the target store is skipped unless that row is an earlier state of the same
 * claim. A copy can therefore be run again, after it was stopped or to bring later changes. Claims past their
 * retention are not copied. The source store is not changed. Results kept in a result storage stay there:
 * give both stores the same `resultsIn`.
 *
 * No work may run meanwhile: a key completed in the source store after it was copied runs again in the
 * target. Stop the consumers, copy until `running` is 0, and start them with the target store
 * (docs/operations/copy.md).
 *
 * Throws a `ConfigurationError` for invalid options and for a store that cannot take claims, and a
 * `StoreError` when the claims cannot be read or no claim of a request can be written.
 *
 * @param from The admin of the source store.
 * @param to The admin of the target store.
 * @param options Which claims to copy, and where to continue.
 *
 * @example
 * const { copied, failed } = await copyClaims(dynamoDBAdmin(), postgresAdmin({ pool }));
 */
export async function copyClaims(
  from: ClaimAdmin,
  to: ClaimAdmin,
  options: CopyOptions = {},
): Promise<ClaimsCopy> {
  checkOptionsOf('copyClaims', options, checks);
  const { keyPrefix = '', leaveOutLongResults = false, clock = systemClock } = options;
  const { onProgress, onFailure, signal } = options;
  if (from === to) throw new ConfigurationError('copyClaims: Expected two stores, got one twice');
  const write = claimWriter(to, leaveOutLongResults);
  const sum = {
    copied: 0,
    present: 0,
    running: 0,
    withoutResult: 0,
    unreadable: 0,
    newer: 0,
    failed: 0,
    rowsRead: 0,
  };
  let { cursor } = options;
  let isEnd = false;

  const result = (): ClaimsCopy => ({
    ...sum,
    isWhole: isEnd && options.cursor === undefined,
    ...defined({ next: cursor }),
  });
  const note = (claim: Claim, outcome: Written, now: number): void => {
    if (isError(outcome)) {
      sum.failed += 1;
      onFailure?.(claim, outcome.error);
      return;
    }
    sum[outcome === 'present' ? 'present' : 'copied'] += 1;
    if (outcome === 'stored-without-result') sum.withoutResult += 1;
    if (stateOf(claim, now) === 'in-progress') sum.running += 1;
  };

  while (!isEnd && signal?.aborted !== true) {
    const page = await read(from, defined({ keyPrefix, limit: PAGE, cursor }), signal);
    if (page === undefined) break;
    const written = await write(page.claims);
    const now = clock.now();
    page.claims.forEach((claim, index) => note(claim, written[index] as Written, now));
    sum.rowsRead += page.rowsRead;
    sum.unreadable += page.unreadable ?? 0;
    sum.newer += page.newer?.length ?? 0;
    cursor = page.next;
    isEnd = cursor === undefined;
    onProgress?.(result());
  }
  return result();
}

/** Returns undefined if the signal was aborted meanwhile. */
async function read(
  admin: ClaimAdmin,
  query: ClaimQuery,
  signal: AbortSignal | undefined,
): Promise<ClaimPage | undefined> {
  try {
    return await admin.list(query, signal && { signal });
  } catch (thrown) {
    if (signal?.aborted === true) return undefined;
    throw thrown;
  }
}

type Written = AdoptOutcome | 'stored-without-result';

/** Writes claims in requests of the store's size, without the signal: a sent request may be carried out. */
function claimWriter(
  admin: ClaimAdmin,
  leavesOutLong: boolean,
): (claims: readonly Claim[]) => Promise<Written[]> {
  const { adopt, requestSize = DEFAULT_REQUEST_SIZE } = admin;
  if (adopt === undefined)
    throw new ConfigurationError(
      'copyClaims: Expected the second admin to have adopt(), which writes copies',
    );

  const request: StoreRequest<Claim, AdoptOutcome> = {
    send: (claims) => adopt.call(admin, claims),
    failed: (error) => ({ error }),
    isPassing,
  };

  async function write(claim: Claim, outcome: AdoptOutcome): Promise<Written> {
    const { result, ...short } = claim;
    if (!leavesOutLong || result === undefined || !isTooLong(outcome)) return outcome;
    const [again] = await sendTwice([short], request);
    return again === 'stored' ? 'stored-without-result' : (again as AdoptOutcome);
  }

  return async (claims) => {
    const written: Written[] = [];
    for (let start = 0; start < claims.length; start += requestSize) {
      const some = claims.slice(start, start + requestSize);
      const outcomes = await sendTwice(some, request);
      const [first] = outcomes;
      // The next request would fail too.
      if (first !== undefined && isError(first) && outcomes.every(isOfStore)) throw first.error;
      for (const [index, claim] of some.entries()) {
        written.push(await write(claim, outcomes[index] as AdoptOutcome));
      }
    }
    return written;
  };
}

function isError(outcome: Written): outcome is { readonly error: Error } {
  return typeof outcome === 'object';
}

function isPassing(outcome: AdoptOutcome): boolean {
  return isError(outcome) && mayPass(outcome.error);
}

/** Whether the error is the store's and not the claim's: all other claims would fail too. */
function isOfStore(outcome: AdoptOutcome): boolean {
  return isPassing(outcome) || (isError(outcome) && OF_STORE.some((code) => hasCode(outcome.error, code)));
}

const OF_STORE = ['BATCHLATCH_TABLE_NOT_FOUND', 'BATCHLATCH_ACCESS_DENIED', 'BATCHLATCH_CREDENTIALS'];

function isTooLong(outcome: AdoptOutcome): boolean {
  return isError(outcome) && hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE');
}

const checks: Readonly<Record<keyof CopyOptions, Check>> = {
  keyPrefix: aString(),
  cursor: aString(),
  leaveOutLongResults: aBoolean(),
  onProgress: aFunction(),
  onFailure: aFunction(),
  signal: aSignal(),
  clock: objectWith('now', 'setTimer'),
};
