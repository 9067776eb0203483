import { Attempt } from '../attempts/attempt.ts';
import { AttemptHandleOf } from '../attempts/commit.ts';
import { createDeadline, type Deadline } from '../attempts/deadline.ts';
import type { Ending, EndingOf } from '../attempts/ending.ts';
import type { HandlerReturned } from '../attempts/handler-end.ts';
import { startHeartbeat } from '../attempts/heartbeat.ts';
import { defaultLeaseMs, extendForHandler } from '../attempts/lease.ts';
import { type AttemptRules, refusalOf } from '../attempts/rules.ts';
import { Running } from '../attempts/running.ts';
import type { AttemptScope, SettlingAttempt } from '../attempts/scope.ts';
import { release, settle, store as storeEnding } from '../attempts/settling.ts';
import { recordsStarts, Starts } from '../attempts/starts.ts';
import type { UnstartedClaims } from '../attempts/unstarted-claims.ts';
import { acquireOrWait } from '../attempts/wait-for-claim.ts';
import type { Clock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { hasCode, mayPass } from '../base/errors.ts';
import { ATTEMPT } from '../claims/attempt-handle.ts';
import { toStoredError } from '../claims/claim.ts';
import type { AcquireOutcome, ClaimRequest, ClaimStore, SettleOutcome } from '../claims/claim-store.ts';
import { createSettlementQueue } from '../claims/settlement-queue.ts';
import type { CallContext } from './call-context.ts';
import { Turns } from './turns.ts';

/** What the calls of one function need from outside, and share. */
export interface CallPorts {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A token that no other attempt has. */
  readonly newOwner: () => string;
  readonly unstarted: UnstartedClaims;
}

/** What all calls of one function have in common. */
export interface CallSettings extends AttemptRules {
  /** Default: as long as the invocation lasts from when the lease is asked for. */
  readonly leaseMs: number | undefined;
  /** How long to wait for another owner's end, in milliseconds. */
  readonly waitMs: number;
  readonly heartbeat: boolean;
}

/** One call: its key and what its claim says about it, what is run, and how its ends are stored. */
export interface Call<Value> {
  readonly key: string;
  readonly payloadHash: string | undefined;
  readonly lockedBy: string | undefined;
  /** When the invocation is over, in epoch milliseconds; `Infinity` if it is unknown. */
  readonly endsAt: number;
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

/** When an invocation ends of which this remains. 0 and less are times too; none, NaN and what is not finite say nothing. */
export function endOfInvocation(remainingTimeMs: number | undefined, clock: Clock): number {
  return Number.isFinite(remainingTimeMs) ? clock.now() + (remainingTimeMs as number) : Infinity;
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
 * Runs the call of one key at most once at a time: claim, run, settle. Every end of the call is settled, a failure
 * too, so that no key stays in progress when its process lives. Where the remaining time is known, the store is waited for
 * until shortly before it is over. Never rejects.
 */
export async function runOnce<Value>(
  call: Call<Value>,
  settings: CallSettings,
  ports: CallPorts,
): Promise<CallOutcome<Value>> {
  const remainingMs = call.endsAt - ports.clock.now();
  if (remainingMs <= 0) return { status: 'not-started', leaseUntil: undefined };
  const lambda = { getRemainingTimeInMillis: () => remainingMs };
  const deadline = createDeadline(lambda, DEADLINE_MARGIN_MS, ports.clock);
  try {
    return await runBefore(deadline, call, settings, ports);
  } finally {
    deadline.cancel();
  }
}

async function runBefore<Value>(
  deadline: Deadline,
  call: Call<Value>,
  settings: CallSettings,
  ports: CallPorts,
): Promise<CallOutcome<Value>> {
  const { store, clock, random, unstarted } = ports;
  const leaseMs = (): number => settings.leaseMs ?? defaultLeaseMs(deadline.remainingTimeMs());
  const request = requestOf(call, leaseMs, settings, ports);
  void unstarted.giveBack(); // what an earlier call could not release
  const timeoutMs = Math.max(0, Math.min(settings.waitMs, deadline.remainingTimeMs()));
  // One owner for all polls: an acquire whose answer was lost is met again.
  const { stop: signal, answerNow: callSignal } = deadline;
  const claim = await acquireOrWait(store, request, { timeoutMs, clock, random, signal, callSignal });
  if (claim.status === 'error' && mayPass(claim.error)) {
    unstarted.note({ ...request(), retentionMs: settings.retention.failed });
    void unstarted.giveBack();
  }
  if (claim.status !== 'acquired') return claim;

  const scope = scopeOf(deadline, leaseMs, call, settings, ports);
  const turns = new Turns();
  const { owner } = request();
  const attempt = new Attempt({ key: call.key, recordId: '' }, owner, clock.now(), scope, turns);
  attempt.answer(claim);
  const refusal = refusalOf(attempt, settings);
  if (refusal !== undefined) return park(attempt, refusal, turns);
  if (!(await mayStart(attempt, scope))) {
    // Kept, it would look to the next attempt as if this one had died.
    const released = await new Promise<SettleOutcome>((resolve) => release(attempt, resolve));
    // rule: late-calls
    if (typeof released === 'object') void unstarted.giveBack();
    return { status: 'not-started', leaseUntil: deadline.stop.aborted ? undefined : attempt.leaseUntil };
  }
  await run(attempt, call, turns);
  const settled = await turns.stored(() => settle(attempt));
  return settled === 'committed' ? outcomeOfCommit(attempt) : outcomeOf(settled, attempt, call, turns);
}

/** What was committed is the answer, now and later: not what was returned afterwards. */
function outcomeOfCommit<Value>({ transaction, end }: Attempt): CallOutcome<Value> {
  if (end?.kind === 'threw') return { status: 'threw', error: end.thrown };
  const committed = transaction?.committed;
  // Its row alone has shown that it was written, and the function had seen the error.
  if (committed === undefined) return { status: 'threw', error: transaction?.failure };
  const { result, ending } = committed;
  return { status: 'returned', value: result as Value, ending, settled: 'stored' };
}

async function outcomeOf<Value>(
  settled: SettleOutcome,
  attempt: Attempt,
  call: Call<Value>,
  turns: Turns,
): Promise<CallOutcome<Value>> {
  const { end } = attempt;
  // What the store says never hides the business error.
  if (end?.kind === 'threw') return { status: 'threw', error: end.thrown };
  const stored = isTooLarge(settled)
    ? await turns.stored(() => storeEnding(attempt, call.endOfTooLarge()))
    : settled;
  return {
    status: 'returned',
    value: (end as HandlerReturned).result as Value,
    ending: attempt.ending as Ending,
    settled: stored as SettleOutcome,
  };
}

function requestOf(
  { key, payloadHash, lockedBy }: Call<unknown>,
  leaseMs: () => number,
  settings: CallSettings,
  { store, newOwner }: CallPorts,
): () => ClaimRequest {
  const owner = newOwner();
  // rule: recorded-calls
  const isRecordingStart = recordsStarts({ store, rules: settings });
  return () => ({
    key,
    owner,
    leaseMs: leaseMs(),
    retentionMs: settings.retention.inProgress, // until its end says otherwise
    ...(isRecordingStart && { recordsStart: true }),
    ...defined({ payloadHash, lockedBy }),
  });
}

function scopeOf<Value>(
  deadline: Deadline,
  leaseMs: () => number,
  call: Call<Value>,
  settings: CallSettings,
  { store, clock, random, unstarted }: CallPorts,
): AttemptScope {
  // Alone: a caller waits for it.
  const settlements = createSettlementQueue<SettlingAttempt>({
    store,
    clock,
    random,
    lingerMs: 0,
    triedUntil: () => 0,
  }).join({
    isBusy: () => false,
    signal: deadline.answerNow,
    onError: (thrown) => {
      throw thrown;
    },
  });
  return {
    time: {
      clock,
      // Nothing ends the function at the deadline: it is told of the end of its lease, also where that is later.
      deadline: { ...deadline, endsAt: Infinity },
      remainingTimeMs: () => deadline.remainingTimeMs(),
      leaseMs,
      renewal: settings.heartbeat ? {} : undefined,
      timeoutMs: undefined,
    },
    claims: { store, rules: settings, settlements, unstarted, endingOf: endingOf(call) },
    watch: { notify: () => undefined, wants: NOTHING, stuck: undefined },
  };
}

/** Nobody observes a call. */
const NOTHING = { claimed: false, started: false, succeeded: false, settling: false };

function endingOf<Value>(call: Call<Value>): EndingOf {
  return (end, isLast) => {
    if (end.kind === 'returned') return call.endOf(end.result as Value);
    if (end.kind === 'refused') return { end: 'park', error: toStoredError(end.error) };
    // Not the key's answer, even with `replayFailures`: the next attempt may get further.
    // rule: seen-abort-of-calls
    if (end.hasSeenAbort === true) return { end: isLast ? 'park' : 'fail', error: toStoredError(end.thrown) };
    return call.endOfFailure(end.thrown, isLast);
  };
}

async function park<Value>(attempt: Attempt, reason: Error, turns: Turns): Promise<CallOutcome<Value>> {
  attempt.refuse({ kind: 'refused', error: reason });
  const settled = await turns.stored(() => settle(attempt));
  // What is not stored as parked stays in progress until its lease lapses, and comes here again.
  return typeof settled === 'object'
    ? { status: 'error', error: settled.error }
    : { status: 'parked', error: toStoredError(reason) };
}

/** Not shortly before the invocation is over: what is started then would be cut off. */
async function mayStart(attempt: Attempt, scope: AttemptScope): Promise<boolean> {
  const { stop } = scope.time.deadline;
  if (stop.aborted) return false;
  const starts = new Starts(scope);
  // rule: leases-of-calls
  const isReady = starts.isReady(attempt) || (await starts.ready([attempt])).has(attempt);
  return isReady && !stop.aborted;
}

/** Calls the function, and resolves when it has ended. */
async function run<Value>(attempt: Attempt, call: Call<Value>, turns: Turns): Promise<void> {
  const { scope } = attempt;
  const running = new Running(scope.time, [attempt]);
  const heartbeat = scope.time.renewal && startHeartbeat(running, scope);
  running.watch(attempt);
  await turns.ended(() => attempt.run(() => call.run(contextOf(attempt, call))));
  running.leave();
  void heartbeat?.stop();
}

function contextOf<Value>(attempt: Attempt, call: Call<Value>): CallContext {
  return {
    [ATTEMPT]: new AttemptHandleOf(attempt, call.toValue?.bind(call)),
    idempotencyKey: attempt.key,
    attempt: attempt.attempt,
    get signal() {
      return attempt.stopping.signal;
    },
    get leaseUntil() {
      return attempt.leaseUntil;
    },
    extendLease: (leaseMs) => extendForHandler(attempt, leaseMs),
    done: () => void (attempt.stopping.isDone = true),
  };
}

function isTooLarge(settled: SettleOutcome): boolean {
  if (typeof settled !== 'object') return false;
  return ['BATCHLATCH_ITEM_TOO_LARGE', 'BATCHLATCH_RESULT_NOT_STORED'].some((code) =>
    hasCode(settled.error, code),
  );
}
