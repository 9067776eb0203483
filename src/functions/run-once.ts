import {
  InterruptedError,
  LapsedLeaseError,
  LeaseLostError,
  TooManyAttemptsError,
} from '../claims/attempt-errors.ts';
import { countedAttempts, type StoredError, toStoredError } from '../claims/claim.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  OwnedClaim,
  SettleOutcome,
  Settlement,
} from '../claims/claim-store.ts';
import type { Clock } from '../claims/clock.ts';
import { hasCode, mayPass } from '../claims/errors.ts';
import { createGroupCommit } from '../claims/group-commit.ts';
import type { AllRetentions, Retentions } from '../claims/retention.ts';
import type { UnstartedClaims } from '../claims/unstarted-claims.ts';
import { acquireOrWait } from '../claims/wait-for-claim.ts';
import type { CallContext } from './call-context.ts';
import type { LeaseClock } from './lease-clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';

/** What a call needs of the world. */
export interface CallPorts {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A token that no other attempt has. */
  readonly newOwner: () => string;
}

/** The ports of one function, and what its calls leave to one another. */
export interface RunPorts extends CallPorts {
  readonly unstarted: UnstartedClaims;
}

/** What all calls of one function have in common. */
export interface CallSettings {
  readonly retention: AllRetentions;
  readonly maxAttempts: number | undefined;
  /** How long to wait for another owner's end, in milliseconds. */
  readonly waitMs: number;
  readonly onLapsedLease: 'rerun' | 'park';
  readonly heartbeat: boolean;
}

/** One call: its key, and what its claim says about it. */
export interface Call {
  readonly key: string;
  readonly payloadHash: string | undefined;
  readonly lockedBy: string | undefined;
  readonly leases: LeaseClock;
}

/** How an attempt ends in the store. */
export type Ending =
  | { readonly end: 'complete'; readonly result?: string }
  | { readonly end: 'fail'; readonly error: StoredError }
  /** `isAnswer`: the effect is done, or this is the key's answer, so it is remembered as a completion is. */
  | { readonly end: 'park'; readonly error: StoredError; readonly isAnswer?: boolean };

/** What is run, and how its ends are stored. */
export interface Work<Value> {
  run(context: CallContext): Promise<Value>;
  /** The end of an attempt that returned. */
  endOf(value: Value): Ending;
  /** The end where the store turns out to have no room for the value. */
  endOfTooLarge(): Ending;
  /** The end of an attempt that threw. `isLast`: no attempt is left (`maxAttempts`). */
  endOfFailure(error: unknown, isLast: boolean): Ending;
}

/** What became of a call. A closed union: whoever offers calls to users switches over all of it. */
export type CallOutcome<Value> =
  | {
      readonly status: 'returned';
      readonly value: Value;
      readonly ending: Ending;
      readonly settled: SettleOutcome;
    }
  | { readonly status: 'threw'; readonly error: unknown }
  /** Nothing was run: no time is left, of the invocation or of the lease (then until when the claim may block others). */
  | { readonly status: 'not-started'; readonly leaseUntil: number | undefined }
  | Exclude<AcquireOutcome, { readonly status: 'acquired' }>;

type Acquired = Extract<AcquireOutcome, { readonly status: 'acquired' }>;

/**
 * Runs the work of one key at most once at a time: claim, run, settle. Every end of the work is settled, a failure
 * too, so that no key stays in progress when its process lives. Never rejects.
 */
export async function runOnce<Value>(
  call: Call,
  work: Work<Value>,
  settings: CallSettings,
  ports: RunPorts,
): Promise<CallOutcome<Value>> {
  if (isOver(call)) return { status: 'not-started', leaseUntil: undefined };
  const owner = ports.newOwner(); // one for all polls: an acquire whose answer was lost is met again
  const { retention, maxAttempts, waitMs } = settings;
  const retentionMs = retention.inProgress; // until its end says otherwise
  const { key, payloadHash, lockedBy } = call;
  // A death in the function has to be told from one before it only where it may park.
  const recordsStart = ports.store.start !== undefined && parksDeaths(settings);
  const makeRequest = (): ClaimRequest => ({
    key,
    owner,
    leaseMs: call.leases.leaseMs(),
    retentionMs,
    ...(recordsStart && { recordsStart }),
    ...(payloadHash !== undefined && { payloadHash }),
    ...(lockedBy !== undefined && { lockedBy }),
  });
  const { clock, random, unstarted } = ports;
  const giveBackLater = (): void => {
    unstarted.note({ key, owner, retentionMs: retention.failed });
    void unstarted.giveBack();
  };
  void unstarted.giveBack(); // what an earlier call could not
  const timeoutMs = Math.max(0, Math.min(waitMs, call.leases.remainingMs()));
  const claim = await acquireOrWait(ports.store, makeRequest, { timeoutMs, clock, random });
  if (claim.status === 'error' && mayPass(claim.error)) giveBackLater();
  if (claim.status !== 'acquired') return claim;

  const settle = (ending: Ending): Promise<SettleOutcome> =>
    settleNow(settlementOf(ending, { key, owner }, retention), ports);
  const refusal = reasonNotToRun(claim, settings);
  if (refusal !== undefined) return park(refusal, settle);

  const lease = { key, owner, leaseUntil: claim.leaseUntil };
  const keeper = new LeaseKeeper(lease, {
    ...ports,
    ...settings,
    retentionMs,
    leaseMs: call.leases.leaseMs(),
  });
  // The start first: writing it takes time, and the lease has to be live after it.
  const isRecorded = !recordsStart || (await isStartRecorded({ key, owner }, ports.store));
  const mayStart = isRecorded && (await hasTimeLeft(keeper, call, clock));
  if (!mayStart) {
    // Kept, it would look to the next attempt as if this one had died.
    const release = {
      end: 'release',
      key,
      owner,
      releases: claim.releases,
      retentionMs: retention.failed,
    } as const;
    if (typeof (await settleNow(release, ports)) === 'object') giveBackLater();
    return { status: 'not-started', leaseUntil: isOver(call) ? undefined : keeper.leaseUntil };
  }
  const isLast = maxAttempts !== undefined && countedAttempts(claim) >= maxAttempts;
  /** No answer to the key, whatever answers are: the next attempt may get further. */
  const interrupted = (error: unknown): Ending => ({
    end: isLast ? 'park' : 'fail',
    error: toStoredError(error),
  });
  keeper.start();
  let value: Value;
  try {
    value = await work.run(contextOf(key, claim.attempt, keeper));
  } catch (error) {
    keeper.stop();
    // What the store says never hides the business error.
    await settle(keeper.interruption === undefined ? work.endOfFailure(error, isLast) : interrupted(error));
    return { status: 'threw', error };
  }
  keeper.stop();
  if (keeper.interruption !== undefined) {
    const error = new InterruptedError({ cause: keeper.interruption });
    await settle(interrupted(error));
    return { status: 'threw', error };
  }
  const ending = work.endOf(value);
  const settled = await settle(ending);
  if (!isTooLarge(settled)) return { status: 'returned', value, ending, settled };
  const smaller = work.endOfTooLarge();
  return { status: 'returned', value, ending: smaller, settled: await settle(smaller) };
}

function parksDeaths({ onLapsedLease, maxAttempts }: CallSettings): boolean {
  return onLapsedLease === 'park' || maxAttempts !== undefined;
}

/** Whether the row says that the function starts. What is not known to be written must not start. */
async function isStartRecorded(claim: OwnedClaim, store: ClaimStore): Promise<boolean> {
  try {
    const [outcome] = (await store.start?.([claim])) ?? [];
    return outcome === 'stored';
  } catch {
    return false;
  }
}

/** Why an acquired claim is parked in place of being run. */
function reasonNotToRun(claim: Acquired, { maxAttempts, onLapsedLease }: CallSettings): Error | undefined {
  // Not `tookOver`: the answer of a takeover may be lost, and the second one says that the claim was mine.
  if (claim.crashes > 0 && onLapsedLease === 'park') return new LapsedLeaseError();
  if (maxAttempts !== undefined && countedAttempts(claim) > maxAttempts)
    return new TooManyAttemptsError(maxAttempts);
  return undefined;
}

async function park<Value>(
  reason: Error,
  settle: (ending: Ending) => Promise<SettleOutcome>,
): Promise<CallOutcome<Value>> {
  const error = toStoredError(reason);
  const settled = await settle({ end: 'park', error });
  // What is not stored as parked stays in progress until its lease lapses, and comes here again.
  return typeof settled === 'object'
    ? { status: 'error', error: settled.error }
    : { status: 'parked', error };
}

/** The invocation's time is over: what is started now would be cut off. */
function isOver({ leases }: Call): boolean {
  return leases.remainingMs() <= 0;
}

/** A claim whose answer took long to come has little of its lease left, too little to start on. */
async function hasTimeLeft(keeper: LeaseKeeper, call: Call, clock: Clock): Promise<boolean> {
  if (isOver(call)) return false;
  const leaseMs = call.leases.leaseMs();
  if (keeper.leaseUntil - clock.now() >= leaseMs / 2) return true;
  const isExtended = (await keeper.extend(leaseMs)) === 'stored' && keeper.leaseUntil > clock.now();
  return isExtended && !isOver(call);
}

function contextOf(idempotencyKey: string, attempt: number, keeper: LeaseKeeper): CallContext {
  return {
    idempotencyKey,
    attempt,
    get signal() {
      return keeper.signal;
    },
    get leaseUntil() {
      return keeper.leaseUntil;
    },
    async extendLease(leaseMs) {
      if (!Number.isSafeInteger(leaseMs) || leaseMs < 1) {
        throw new RangeError(`Expected \`leaseMs\` to be an integer from 1 up, got \`${leaseMs}\``);
      }
      const outcome = await keeper.extend(leaseMs);
      if (outcome === 'lost') throw new LeaseLostError();
      if (outcome !== 'stored') throw outcome.error;
    },
    done: () => keeper.done(),
  };
}

function settlementOf(ending: Ending, claim: OwnedClaim, retention: Retentions): Settlement {
  switch (ending.end) {
    case 'complete':
      return { ...ending, ...claim, retentionMs: retention.completed };
    case 'fail':
      return { ...ending, ...claim, retentionMs: retention.failed };
    case 'park': {
      const { end, error, isAnswer = false } = ending;
      return { end, error, ...claim, retentionMs: isAnswer ? retention.completed : retention.parked };
    }
  }
}

/** Alone, and with group commit's retries: a completion that is not stored means that its effect may run again. */
function settleNow(settlement: Settlement, { store, clock, random }: CallPorts): Promise<SettleOutcome> {
  const commit = createGroupCommit<undefined>({
    store,
    clock,
    random,
    lingerMs: 0,
    isBusy: () => false,
    onWrite: () => undefined,
    signal: new AbortController().signal,
  });
  return commit.settle(settlement, undefined);
}

function isTooLarge(settled: SettleOutcome): boolean {
  if (typeof settled !== 'object') return false;
  return ['BATCHLATCH_ITEM_TOO_LARGE', 'BATCHLATCH_RESULT_NOT_STORED'].some((code) =>
    hasCode(settled.error, code),
  );
}
