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

/** The person who changes a claim, and the reason. */
export interface ChangeOptions {
  /** Who makes the change, e.g. `pat@laptop`: up to 128 characters without controls. Kept on the claim. */
  readonly operator: string;
  /** The reason: up to 256 characters without control characters. Kept on the claim. */
  readonly reason: string;
  /** Whether to change a running or completed claim too, whose effect may be repeated. Default false. */
  readonly force?: boolean;
  /** How long to keep the row from now, in milliseconds; never shortens it. Default: 4 days, parked 90. */
  readonly retentionMs?: number;
  /** Once aborted, no further request is sent. */
  readonly signal?: AbortSignal;
}

/** Options of `resolveClaim`. */
export interface ResolveOptions extends ChangeOptions {
  /** The result returned to duplicates, as JSON text. Default: none. */
  readonly result?: string;
}

/** A change that is applied to several claims. */
export interface ClaimsChange extends ResolveOptions {
  /** The change. */
  readonly operation: OperationKind;
}

/** A claim as `listClaims`, `findClaims` or `inspectClaim` returned it. */
export type SeenClaim = Pick<Claim, 'key' | 'status' | 'owner' | 'attempt'>;

/**
 * Releases a claim: the key runs again at its next delivery, with its attempts counted from 0. A message in a
 * dead-letter queue must be sent back separately. Refused (`running`, `completed`, `changed`, `absent`) as
 * listed in docs/operations/changes.md.
 *
 * Throws a `ConfigurationError` for invalid options. A store failure is an outcome
 * `error`.
 *
 * @param admin The admin of the store that holds the claim.
 * @param claim The claim as it was last read.
 * @param options Who makes the change, and why.
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
 * Marks a key as done, for work finished by hand; duplicates get `result`. Otherwise like `releaseClaim`.
 *
 * @param admin The admin of the store that holds the claim.
 * @param claim The claim as it was last read.
 * @param options Who makes the change, why, and the result for duplicates.
 */
export function resolveClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ResolveOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'resolve' });
}

/**
 * Parks a claim: the key does not run until somebody releases it. Otherwise like `releaseClaim`.
 *
 * @param admin The admin of the store that holds the claim.
 * @param claim The claim as it was last read.
 * @param options Who makes the change, and why.
 */
export function parkClaim(
  admin: ClaimAdmin,
  claim: SeenClaim,
  options: ChangeOptions,
): Promise<OperateOutcome> {
  return change(admin, claim, { ...options, operation: 'park' });
}

/**
 * Deletes the row of a key with its change history, even if the key is completed: the next delivery runs as a
 * first one. Otherwise like `releaseClaim`.
 *
 * @param admin The admin of the store that holds the claim.
 * @param claim The claim as it was last read.
 * @param options Who makes the change, and why.
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
 * Applies one change to several claims, in requests of the store's size, and returns an outcome for each, in
 * order. A change that failed with a temporary error is sent once more; it is applied only once. Throws as
 * `releaseClaim` does, and also if two claims have the same key.
 *
 * @param admin The admin of the store that holds the claims.
 * @param claims The claims as they were last read, with distinct keys.
 * @param options The change, who makes it, and why.
 */
export async function operateOnClaims(
  admin: ClaimAdmin,
  claims: readonly SeenClaim[],
  options: ClaimsChange,
): Promise<OperateOutcome[]> {
  const { signal, ...change } = checkedChange(options);
  const operations = claims.map((claim) => operationOn(claim, change));
  if (new Set(operations.map(({ key }) => key)).size < operations.length) {
    throw new ConfigurationError(
      'Expected each claim to have another key, got two claims with the same key: pass each claim once',
    );
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
      // The person saw the row, so the first send may have deleted it.
      const isForgotten = (outcome: OperateOutcome, index: number): boolean =>
        outcome.status === 'refused' && outcome.why === 'absent' && operations[index]?.operation === 'forget';
      return outcomes.map((outcome, index) => (isForgotten(outcome, index) ? { status: 'done' } : outcome));
    },
    failed: (error) => ({ status: 'error', error }),
    isPassing: (outcome) => outcome.status === 'error' && mayPass(outcome.error) && signal?.aborted !== true,
  };
}

/** A request to a store for several items, and how its outcomes are read. */
export interface StoreRequest<Item, Outcome> {
  send(items: readonly Item[], isAgain: boolean): Promise<readonly Outcome[]>;
  failed(error: Error): Outcome;
  /** Whether the outcome is a temporary error. */
  isPassing(outcome: Outcome): boolean;
}

/** Sends items, and retries temporary errors once: stores recognise a repetition. Outcomes are in order. */
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
    throw new ConfigurationError(
      `Expected \`result\` only with \`resolve\`, got it with \`${operation}\`: leave it out`,
    );
  try {
    JSON.parse(result);
  } catch (cause) {
    throw new ConfigurationError('Expected `result` to be JSON text: duplicates get the parsed value', {
      cause,
    });
  }
  return change;
}

/** Checks an operator or a reason: bidirectional controls are refused too, as terminals act on them. */
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
