import { randomUUID } from 'node:crypto';
import type { Claim } from '../claims/claim.ts';
import { DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import { ConfigurationError, mayPass } from '../base/errors.ts';
import type { ClaimOperation, ClaimAdmin, OperateOutcome, OperationKind } from '../claims/claim-admin.ts';
import { resolveRetention } from '../claims/retention.ts';
import { asError, givenUp, missingOutcome } from '../claims/store-errors.ts';
import {
  aBoolean,
  anInteger,
  aString,
  type Check,
  checkOptionsOf,
  oneOf,
  required,
} from '../options/check-options.ts';
import { aSignal } from './list-claims.ts';

/** Who changes a claim, and why. */
export interface ChangeOptions {
  /** Who does it, such as `pat@laptop`: at most 128 characters without control characters. Kept on the claim. */
  readonly operator: string;
  /** Why, in words: at most 256 characters without control characters. Kept on the claim. */
  readonly reason: string;
  /**
   * Also a claim whose lease is live, whose handler may be running, and a completed one, whose effect may then be repeated.
   * Default false.
   */
  readonly force?: boolean;
  /**
   * How long the row is remembered from now on, in milliseconds; longer if it would have been already. Default: 4 days, of
   * parked claims 90.
   */
  readonly retentionMs?: number;
  /** Once aborted, nothing more is sent. */
  readonly signal?: AbortSignal;
}

/** Options of `resolveClaim`. */
export interface ResolveOptions extends ChangeOptions {
  /** What duplicates get for the result, as JSON text. Default: none. */
  readonly result?: string;
}

/** One change for many claims. */
export interface ClaimsChange extends ResolveOptions {
  /** What is done to each of them. */
  readonly operation: OperationKind;
}

/** A claim as it was seen: what `listClaims`, `findClaims` and `inspectClaim` give. */
export type SeenClaim = Pick<Claim, 'key' | 'status' | 'owner' | 'attempt'>;

/**
 * Lets a key run again: at its next delivery, its attempts counted from 0. A message in a dead-letter queue has to be sent
 * back besides. Refused (`running`, `completed`, `changed`, `absent`) as the table in docs/operations/changes.md says.
 *
 * Throws a `ConfigurationError` for options that cannot work. What the store could not do is an outcome `error`.
 *
 * @param admin Of the store that has the claim.
 * @param claim The claim as it was seen.
 * @param options Who does it, and why.
 *
 * @example
 * const claim = await inspectClaim(admin, key);
 * if (claim !== undefined) await releaseClaim(admin, claim, { operator: 'pat', reason: 'fixed in 1.4' });
 */
export function releaseClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ChangeOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'release' });
}

/**
 * Counts a key as done, with `result` for its duplicates, for work that was finished by hand. Otherwise as `releaseClaim`.
 *
 * @param admin Of the store that has the claim.
 * @param claim The claim as it was seen.
 * @param options Who does it, why, and the result for duplicates.
 */
export function resolveClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ResolveOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'resolve' });
}

/**
 * Keeps a key from running until somebody releases it. Otherwise as `releaseClaim`.
 *
 * @param admin Of the store that has the claim.
 * @param claim The claim as it was seen.
 * @param options Who does it, and why.
 */
export function parkClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ChangeOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'park' });
}

/**
 * Deletes the row of a key, and what is known of its changes with it: the next delivery runs as if it were the first. Also of
 * a completed key. Otherwise as `releaseClaim`.
 *
 * @param admin Of the store that has the claim.
 * @param claim The claim as it was seen.
 * @param options Who does it, and why.
 */
export function forgetClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ChangeOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'forget' });
}

async function change(admin: ClaimAdmin, claim: SeenClaim, options: ClaimsChange): Promise<OperateOutcome> {
  const [outcome] = await operateOnClaims(admin, [claim], options);
  return outcome as OperateOutcome;
}

/**
 * Changes many claims in the same way, as many in a request as the store takes, and gives an outcome for each, in order. What
 * fails in passing is sent once more; it is done once all the same. Throws as `releaseClaim` does, also for a key that
 * stands twice.
 *
 * @param admin Of the store that has the claims.
 * @param claims The claims as they were seen; no two of one key.
 * @param options What is done to each, who does it, and why.
 */
export async function operateOnClaims(
  admin: ClaimAdmin,
  claims: readonly SeenClaim[],
  options: ClaimsChange,
): Promise<OperateOutcome[]> {
  const { signal, ...change } = checkedChange(options);
  const operations = claims.map((claim) => operationOn(claim, change));
  if (new Set(operations.map(({ key }) => key)).size < operations.length) {
    throw new ConfigurationError('A key stands twice among the claims to be changed');
  }
  const size = admin.requestSize ?? DEFAULT_REQUEST_SIZE;
  const request = changesOf(admin, signal);
  const outcomes: OperateOutcome[] = [];
  for (let start = 0; start < operations.length; start += size) {
    outcomes.push(...(await sendTwice(operations.slice(start, start + size), request)));
  }
  return outcomes;
}

const { completed, failed, parked } = resolveRetention();
const RETENTION_MS = { release: failed, resolve: completed, park: parked, forget: 0 };

function changesOf(
  admin: ClaimAdmin,
  signal: AbortSignal | undefined,
): StoreRequest<ClaimOperation, OperateOutcome> {
  return {
    async send(operations, isAgain) {
      if (signal?.aborted === true) throw givenUp();
      const outcomes = await admin.change(operations, signal && { signal });
      if (!isAgain) return outcomes;
      // The row was there when the person saw it; the first sending may be why it is gone.
      const isForgotten = (outcome: OperateOutcome, index: number): boolean =>
        outcome.status === 'refused' && outcome.why === 'absent' && operations[index]?.operation === 'forget';
      return outcomes.map((outcome, index) => (isForgotten(outcome, index) ? { status: 'done' } : outcome));
    },
    failed: (error) => ({ status: 'error', error }),
    isPassing: (outcome) => outcome.status === 'error' && mayPass(outcome.error) && signal?.aborted !== true,
  };
}

/** A request to a store for many items, and what its outcomes are where it fails. */
export interface StoreRequest<Item, Outcome> {
  send(items: readonly Item[], isAgain: boolean): Promise<readonly Outcome[]>;
  failed(error: Error): Outcome;
  /** Whether it failed in passing. */
  isPassing(outcome: Outcome): boolean;
}

/** An outcome for each item, in order. What fails in passing is sent once more: what was done all the same meets itself. */
export async function sendTwice<Item, Outcome>(
  items: readonly Item[],
  { send, failed, isPassing }: StoreRequest<Item, Outcome>,
): Promise<Outcome[]> {
  const sendOnce = async (some: readonly Item[], isAgain: boolean): Promise<Outcome[]> => {
    try {
      const outcomes = await send(some, isAgain);
      return some.map((_, index) => outcomes[index] ?? failed(missingOutcome()));
    } catch (thrown) {
      return some.map(() => failed(asError(thrown)));
    }
  };
  const outcomes = await sendOnce(items, false);
  const failing = [...outcomes.keys()].filter((index) => isPassing(outcomes[index] as Outcome));
  if (failing.length === 0) return outcomes;
  const again = failing.map((index) => items[index] as Item);
  for (const outcome of await sendOnce(again, true)) outcomes[failing.shift() as number] = outcome;
  return outcomes;
}

function operationOn(
  { key, status, owner, attempt }: SeenClaim,
  change: Omit<ClaimsChange, 'signal'>,
): ClaimOperation {
  if (typeof key !== 'string' || typeof owner !== 'string' || !Number.isInteger(attempt)) {
    throw new ConfigurationError('Expected a claim as listClaims, findClaims or inspectClaim gives it');
  }
  const { retentionMs = RETENTION_MS[change.operation], ...rest } = change;
  return { ...rest, key, seen: { status, owner, attempt }, owner: randomUUID(), retentionMs };
}

const checks: Readonly<Record<keyof ClaimsChange, Check>> = {
  operation: required(oneOf('release', 'resolve', 'park', 'forget')),
  operator: required(words(128)),
  reason: required(words(256)),
  force: aBoolean(),
  result: aString(),
  retentionMs: anInteger(1_000),
  signal: aSignal(),
};

function checkedChange(change: ClaimsChange): ClaimsChange {
  checkOptionsOf(`${change.operation}Claim`, change, checks);
  const { operation, result } = change;
  if (result === undefined) return change;
  if (operation !== 'resolve')
    throw new ConfigurationError(`\`result\` is of \`resolve\`, not of \`${operation}\``);
  try {
    JSON.parse(result);
  } catch (cause) {
    throw new ConfigurationError('Expected `result` to be JSON text, which duplicates get parsed', { cause });
  }
  return change;
}

/** Who and why. Also what turns a line of a terminal around is not for a text that people will read there. */
export function words(most: number): Check {
  return {
    expected: `1 to ${most} characters without control characters`,
    accepts: (value) =>
      typeof value === 'string' &&
      value.length <= most &&
      value.trim() !== '' &&
      !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(value),
  };
}
