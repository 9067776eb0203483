import { defined } from '../base/defined.ts';
import type { AdoptOutcome } from '../claims/adoption.ts';
import type { Claim } from '../claims/claim.ts';
import { DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigurationError, hasCode, mayPass } from '../base/errors.ts';
import { type ClaimAdmin, stateOf } from '../claims/claim-admin.ts';
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
  /** Only keys that begin with this. Default: all. */
  readonly keyPrefix?: string;
  /** `next` of a copy before, to go on from there. Default: from the beginning. */
  readonly cursor?: string;
  /**
   * A result that is too long for the other store is left out, and its claim copied without it: the key stays done, and a call
   * (`withIdempotency`, HTTP) that comes again gets no result. Default false: such a claim fails.
   */
  readonly leaveOutLongResults?: boolean;
  /**
   * Told after each page what was done so far.
   *
   * @param copy What was done so far.
   */
  readonly onProgress?: (copy: ClaimsCopy) => void;
  /**
   * Told of each claim that could not be copied.
   *
   * @param claim The claim.
   * @param error Why it could not be written.
   */
  readonly onFailure?: (claim: Claim, error: Error) => void;
  /** Once aborted, nothing more is read or written; what was done is returned, with `next`. */
  readonly signal?: AbortSignal;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** What became of the claims of a store. */
export interface ClaimsCopy {
  /** Written into the other store. */
  readonly copied: number;
  /** Not written, because their keys have rows there: of an earlier copy, or because work goes on there. */
  readonly present: number;
  /** Of both: how many were running, their leases live. Where there are any, work goes on in the store they are copied from. */
  readonly running: number;
  /** Of those that were copied: how many without their results (`leaveOutLongResults`). */
  readonly withoutResult: number;
  /** Rows that are no claims. */
  readonly unreadable: number;
  /** Rows that a newer version of batchlatch wrote, which this one cannot copy: use that version. */
  readonly newer: number;
  /** Claims that could not be written. */
  readonly failed: number;
  /** How many rows were read. */
  readonly rowsRead: number;
  /** Whether every claim was seen. */
  readonly isWhole: boolean;
  /** Where to go on; absent at the end. */
  readonly next?: string;
}

/** The most claims of one page. Their results are in memory: a page is as long as a request is wide, up to this. */
const PAGE = 100;

/**
 * Copies the claims of one store into another, as they are: with their owners, attempts, times, results, errors and history.
 * A claim whose key has a row in the other store is left out, unless that row is an earlier state of it: so it can be run
 * again, after it was stopped or when more has happened, and then brings what has changed. Claims past their retention are
 * not copied. Nothing is written to the store they come from. Long results that are in a result storage stay there: give
 * both stores the same `resultsIn`.
 *
 * Nobody may run work meanwhile: what is completed in one store after it was copied runs again in the other. Stop the
 * consumers, copy until `running` is 0, and start them with the other store (docs/operations/copy.md).
 *
 * Throws a `ConfigurationError` for options that cannot work and for a store that cannot take
 * claims, and a `StoreError` when the claims cannot be read, or nothing of a page can be written.
 *
 * @param from Of the store that is read.
 * @param to Of the store that is written.
 * @param options Which claims, and where to go on.
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
  if (from === to) throw new ConfigurationError('copyClaims: both stores are the same');
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
    const page = await from.list(defined({ keyPrefix, limit: PAGE, cursor }), signal && { signal });
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

type Written = AdoptOutcome | 'stored-without-result';

/** Writes the claims of a page, as many in a request as the store takes. What was sent is waited for: it may be carried out. */
function claimWriter(
  admin: ClaimAdmin,
  leavesOutLong: boolean,
): (claims: readonly Claim[]) => Promise<Written[]> {
  const { adopt, requestSize = DEFAULT_REQUEST_SIZE } = admin;
  if (adopt === undefined)
    throw new ConfigurationError('Claims cannot be copied into this store: its admin has no adopt()');

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
      // The next page would fare no better.
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

/** Not for what the claim holds: each of the others would fail in the same way. */
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
