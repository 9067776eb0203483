import { Attempt, type Settled } from '../attempts/attempt.ts';
import { handleOf } from '../attempts/handle-of.ts';
import { createDeadline, type Deadline } from '../attempts/deadline.ts';
import type { Ending, EndingOf } from '../attempts/ending.ts';
import type { HandlerReturned, HandlerThrew } from '../attempts/handler-end.ts';
import { HandlerRun } from '../attempts/handler-run.ts';
import { type AttemptRules, refusalOf } from '../attempts/rules.ts';
import { startHeartbeat } from '../attempts/running.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import { recordsStarts, Starts } from '../attempts/starts.ts';
import type { UnstartedClaims } from '../attempts/unstarted-claims.ts';
import { acquireOrWait } from '../attempts/wait-for-claim.ts';
import { ATTEMPT, type AttemptHandle } from '../claims/attempt-handle.ts';
import { toStoredError } from '../claims/claim.ts';
import type { AcquireOutcome, ClaimRequest, ClaimStore, SettleOutcome } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { hasCode, mayPass } from '../base/errors.ts';
import { createSettlementQueue } from '../claims/settlement-queue.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import type { CallContext } from './call-context.ts';
import type { LeaseClock } from './lease-clock.ts';

/** What a call needs from outside. */
export interface CallPorts {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A token that no other attempt has. */
  readonly newOwner: () => string;
}

/** The ports of one function, and what its calls share. */
export interface RunPorts extends CallPorts {
  readonly unstarted: UnstartedClaims;
}

/** What all calls of one function have in common. */
export interface CallSettings extends AttemptRules {
  /** How long to wait for another owner's end, in milliseconds. */
  readonly waitMs: number;
  readonly heartbeat: boolean;
}

/** One call: its key, and what its claim says about it. */
export interface Call {
  readonly key: string;
  readonly payloadHash: string | undefined;
  readonly lockedBy: string | undefined;
  readonly leases: LeaseClock;
}

/** What is run, and how its ends are stored. */
export interface Work<Value> {
  run(context: CallContext): Promise<Value>;
  /** What is returned, of what is committed as the result. Default: the same. */
  toValue?(committed: unknown): Promise<Value>;
  /** The end of an attempt that returned. */
  endOf(value: Value): Ending;
  /** The end where the store turns out to have no room for the value. */
  endOfTooLarge(): Ending;
  /** The end of an attempt that threw. `isLast`: no attempt is left (`maxAttempts`). */
  endOfFailure(error: unknown, isLast: boolean): Ending;
}

/** How a call ended. A closed union: callers switch over all of it. */
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

/** How long before the invocation ends nothing starts any more, in milliseconds; of a short one half of it. */
const DEADLINE_MARGIN_MS = 1_000;

/**
 * Runs the work of one key at most once at a time: claim, run, settle. Every end of the work is settled, a failure
 * too, so that no key stays in progress when its process lives. Where the remaining time is known, the store is waited for
 * until shortly before it is over. Never rejects.
 */
export async function runOnce<Value>(
  call: Call,
  work: Work<Value>,
  settings: CallSettings,
  ports: RunPorts,
): Promise<CallOutcome<Value>> {
  if (call.leases.remainingMs() <= 0) return { status: 'not-started', leaseUntil: undefined };
  const lambda = { getRemainingTimeInMillis: () => call.leases.remainingMs() };
  const deadline = createDeadline(lambda, DEADLINE_MARGIN_MS, ports.clock);
  try {
    return await runBefore(deadline, call, work, settings, ports);
  } finally {
    deadline.cancel();
  }
}

async function runBefore<Value>(
  deadline: Deadline,
  call: Call,
  work: Work<Value>,
  settings: CallSettings,
  ports: RunPorts,
): Promise<CallOutcome<Value>> {
  const { store, clock, random, unstarted } = ports;
  const request = requestOf(call, settings, ports);
  void unstarted.giveBack(); // what an earlier call could not release
  const timeoutMs = Math.max(0, Math.min(settings.waitMs, call.leases.remainingMs()));
  // One owner for all polls: an acquire whose answer was lost is met again.
  const { stop: signal, answerNow: callSignal } = deadline;
  const claim = await acquireOrWait(store, request, { timeoutMs, clock, random, signal, callSignal });
  if (claim.status === 'error' && mayPass(claim.error)) {
    unstarted.note({ ...request(), retentionMs: settings.retention.failed });
    void unstarted.giveBack();
  }
  if (claim.status !== 'acquired') return claim;

  const scope = scopeOf(deadline, call, settings, ports);
  const { owner } = request();
  const subject = { key: call.key, recordId: '', claim: undefined, isClaimOpen: false };
  const attempt = new Attempt(subject, { owner, ...claim }, scope, endingOf(work));
  const refusal = refusalOf(claim, settings);
  if (refusal !== undefined) return park(attempt, refusal);
  if (!(await mayStart(attempt, scope))) {
    // Kept, it would look to the next attempt as if this one had died.
    if (typeof (await attempt.release()) === 'object') void unstarted.giveBack();
    return { status: 'not-started', leaseUntil: deadline.stop.aborted ? undefined : attempt.leaseUntil };
  }
  const end = await run(attempt, work, scope);
  const settled = await attempt.settle(end);
  return settled === 'committed' ? outcomeOfCommit(attempt, end) : outcomeOf(settled, attempt, work);
}

/** What was committed is the answer, now and later: not what was returned afterwards. */
function outcomeOfCommit<Value>(
  { committed, commitFailure }: Attempt,
  end: HandlerReturned | HandlerThrew,
): CallOutcome<Value> {
  if (end.kind === 'threw') return { status: 'threw', error: end.thrown };
  // Its row alone has shown that it was written, and the function had seen the error.
  if (committed === undefined) return { status: 'threw', error: commitFailure };
  return {
    status: 'returned',
    value: committed.result as Value,
    ending: committed.ending,
    settled: 'stored',
  };
}

async function outcomeOf<Value>(
  settled: Exclude<Settled, 'committed'>,
  attempt: Attempt,
  work: Work<Value>,
): Promise<CallOutcome<Value>> {
  const { end } = settled;
  // What the store says never hides the business error.
  if (end.kind === 'threw') return { status: 'threw', error: end.thrown };
  const { result } = end as HandlerReturned;
  const stored = isTooLarge(settled.outcome)
    ? ((await attempt.store(work.endOfTooLarge(), end)) as Exclude<Settled, 'committed'>)
    : settled;
  return {
    status: 'returned',
    value: result as Value,
    ending: stored.ending,
    settled: stored.outcome,
  };
}

function requestOf(
  { key, payloadHash, lockedBy, leases }: Call,
  settings: CallSettings,
  { store, newOwner }: RunPorts,
): () => ClaimRequest {
  const owner = newOwner();
  const isRecordingStart = recordsStarts({ store, rules: settings });
  return () => ({
    key,
    owner,
    leaseMs: leases.leaseMs(),
    retentionMs: settings.retention.inProgress, // until its end says otherwise
    ...(isRecordingStart && { recordsStart: true }),
    ...(payloadHash !== undefined && { payloadHash }),
    ...(lockedBy !== undefined && { lockedBy }),
  });
}

function scopeOf(
  deadline: Deadline,
  call: Call,
  settings: CallSettings,
  { store, clock, random, unstarted }: RunPorts,
): AttemptScope {
  // Alone: a caller waits for it.
  const settlements = createSettlementQueue<SettlingEnd>({ store, clock, random, lingerMs: 0 }).join({
    isBusy: () => false,
    signal: deadline.answerNow,
    onWrite: () => undefined,
  });
  return {
    store,
    clock,
    rules: settings,
    // Nothing ends the function at the deadline: it is told of the end of its lease, also where that is later.
    deadline: { ...deadline, endsAt: Infinity },
    settlements,
    unstarted,
    leaseMs: () => call.leases.leaseMs(),
    renewal: settings.heartbeat ? {} : undefined,
    timeoutMs: undefined,
    notify: () => undefined,
  };
}

function endingOf<Value>(work: Work<Value>): EndingOf {
  return (end, isLast) => {
    if (end.kind === 'returned') return work.endOf(end.result as Value);
    if (end.kind === 'refused') return { end: 'park', error: toStoredError(end.error) };
    // Not the key's answer, even with `replayFailures`: the next attempt may get further.
    if (end.hasSeenAbort === true) return { end: isLast ? 'park' : 'fail', error: toStoredError(end.thrown) };
    return work.endOfFailure(end.thrown, isLast);
  };
}

async function park<Value>(attempt: Attempt, reason: Error): Promise<CallOutcome<Value>> {
  const { outcome } = (await attempt.settle({ kind: 'refused', error: reason })) as Exclude<
    Settled,
    'committed'
  >;
  // What is not stored as parked stays in progress until its lease lapses, and comes here again.
  return typeof outcome === 'object'
    ? { status: 'error', error: outcome.error }
    : { status: 'parked', error: toStoredError(reason) };
}

/** Not shortly before the invocation is over: what is started then would be cut off. */
async function mayStart(attempt: Attempt, scope: AttemptScope): Promise<boolean> {
  const { stop } = scope.deadline;
  if (stop.aborted) return false;
  const starts = new Starts(scope);
  const isReady = starts.isReady(attempt) || (await starts.ready([attempt])).has(attempt);
  return isReady && !stop.aborted;
}

async function run<Value>(
  attempt: Attempt,
  work: Work<Value>,
  scope: AttemptScope,
): Promise<HandlerReturned | HandlerThrew> {
  const handlerRun = new HandlerRun(attempt, scope);
  const heartbeat = scope.renewal && startHeartbeat(new Map([[handlerRun, attempt]]), scope);
  const toValue = work.toValue?.bind(work);
  const context = contextOf(attempt, handlerRun, handleOf(attempt, handlerRun, scope, toValue));
  const end = await handlerRun.run(() => work.run(context));
  void heartbeat?.stop();
  return end as HandlerReturned | HandlerThrew; // it is never stopped with a grace period
}

function contextOf({ key, claim }: Attempt, handlerRun: HandlerRun, handle: AttemptHandle): CallContext {
  return {
    [ATTEMPT]: handle,
    idempotencyKey: key,
    attempt: claim.attempt,
    get signal() {
      return handlerRun.signal;
    },
    get leaseUntil() {
      return claim.leaseUntil;
    },
    extendLease: (leaseMs) => handlerRun.extendLease(leaseMs),
    done: () => handlerRun.noteDone(),
  };
}

function isTooLarge(settled: SettleOutcome): boolean {
  if (typeof settled !== 'object') return false;
  return ['BATCHLATCH_ITEM_TOO_LARGE', 'BATCHLATCH_RESULT_NOT_STORED'].some((code) =>
    hasCode(settled.error, code),
  );
}
