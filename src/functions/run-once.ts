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
import { SettlementQueue } from '../claims/settlement-queue.ts';
import type { CallContext } from './call-context.ts';
import { Turns } from './turns.ts';

/** The dependencies that all calls of one function share. */
export interface CallPorts {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly newOwner: () => string;
  readonly unstarted: UnstartedClaims;
}

export interface CallSettings extends AttemptRules {
  /** Default: the remaining time of the invocation when the lease is requested. */
  readonly leaseMs: number | undefined;
  /** How long to wait for another owner of the key, in milliseconds. */
  readonly waitMs: number;
  readonly heartbeat: boolean;
}

/** A call: its key, its work, and how its outcomes are stored. */
export interface Call<Value> {
  readonly key: string;
  readonly payloadHash: string | undefined;
  readonly lockedBy: string | undefined;
  /** When the invocation ends, in epoch milliseconds; `Infinity` if unknown. */
  readonly endsAt: number;
  run(context: CallContext): Promise<Value>;
  /** Converts a committed result into the returned value. Default: unchanged. */
  toValue?(committed: unknown): Promise<Value>;
  endOf(value: Value): Ending;
  /** The ending if the result is too long for the store. */
  endOfTooLarge(): Ending;
  /** The ending of an attempt that threw. `isLast`: `maxAttempts` is reached. */
  endOfFailure(error: unknown, isLast: boolean): Ending;
}

/** Returns when an invocation with this remaining time ends. Undefined, NaN and infinity mean no limit. */
export function endOfInvocation(remainingTimeMs: number | undefined, clock: Clock): number {
  return Number.isFinite(remainingTimeMs) ? clock.now() + (remainingTimeMs as number) : Infinity;
}

export type CallOutcome<Value> =
  | {
      readonly status: 'returned';
      readonly value: Value;
      readonly ending: Ending;
      readonly settled: SettleOutcome;
    }
  | { readonly status: 'threw'; readonly error: unknown }
  /** Nothing ran: no time was left. `leaseUntil`: set if the lease, not the invocation, was too short. */
  | { readonly status: 'not-started'; readonly leaseUntil: number | undefined }
  | Exclude<AcquireOutcome, { readonly status: 'acquired' }>;

/** No call starts within this time before the invocation ends; within half of a short invocation. */
const DEADLINE_MARGIN_MS = 1_000;

/**
 * Claims a key, runs its call and settles it; no two calls of a key run at once. Failures are settled too, so
 * a key stays in progress only if its process dies. Waits for the store until shortly before the invocation
 * ends. Never rejects.
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
  void unstarted.giveBack(); // claims that an earlier call could not release
  const timeoutMs = Math.max(0, Math.min(settings.waitMs, deadline.remainingTimeMs()));
  // All polls use one owner, so an acquire whose response was lost is recognised.
  const { stop: signal, answerNow: callSignal } = deadline;
  const note = (lost: ClaimRequest): void =>
    unstarted.note({ ...lost, retentionMs: settings.retention.failed });
  const options = { timeoutMs, clock, random, signal, callSignal, onLost: note };
  const claim = await acquireOrWait(store, request, options);
  if (claim.status === 'error' && mayPass(claim.error)) {
    note(request());
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
    // Unreleased, it would look like a crash to the next attempt.
    const released = await new Promise<SettleOutcome>((resolve) => release(attempt, resolve));
    // rule: late-calls
    if (typeof released === 'object') void unstarted.giveBack();
    return { status: 'not-started', leaseUntil: deadline.stop.aborted ? undefined : attempt.leaseUntil };
  }
  await run(attempt, call, turns);
  const settled = await turns.stored(() => settle(attempt));
  return settled === 'committed' ? outcomeOfCommit(attempt) : outcomeOf(settled, attempt, call, turns);
}

/** Returns the committed result, which later calls get too, whatever the function returned. */
function outcomeOfCommit<Value>({ transaction, end }: Attempt): CallOutcome<Value> {
  if (end?.kind === 'threw') return { status: 'threw', error: end.thrown };
  const committed = transaction?.committed;
  // Only the row showed that the commit succeeded; the function had seen its error.
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
  // The function's own error takes precedence over the store's.
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
    retentionMs: settings.retention.inProgress, // until it is settled
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
  // Sent without delay, as a caller waits.
  const settlements = new SettlementQueue<SettlingAttempt>({
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
      startedAt: clock.now(),
      // The deadline does not abort the function; the end of its lease does, even if that is later.
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

const NOTHING = { claimed: false, started: false, succeeded: false, settling: false };

function endingOf<Value>(call: Call<Value>): EndingOf {
  return (end, isLast) => {
    if (end.kind === 'returned') return call.endOf(end.result as Value);
    if (end.kind === 'refused') return { end: 'park', error: toStoredError(end.error) };
    // An interrupted attempt is not stored as the key's answer: the next one may get further.
    // rule: seen-abort-of-calls
    if (end.hasSeenAbort === true) return { end: isLast ? 'park' : 'fail', error: toStoredError(end.thrown) };
    return call.endOfFailure(end.thrown, isLast);
  };
}

async function park<Value>(attempt: Attempt, reason: Error, turns: Turns): Promise<CallOutcome<Value>> {
  attempt.refuse({ kind: 'refused', error: reason });
  const settled = await turns.stored(() => settle(attempt));
  // If the store failed, the key stays in progress until its lease lapses; the next call parks it.
  return typeof settled === 'object'
    ? { status: 'error', error: settled.error }
    : { status: 'parked', error: toStoredError(reason) };
}

/** Whether the function may start: not shortly before the invocation ends, which would cut it off. */
async function mayStart(attempt: Attempt, scope: AttemptScope): Promise<boolean> {
  const { stop } = scope.time.deadline;
  if (stop.aborted) return false;
  const starts = new Starts(scope);
  // rule: leases-of-calls
  const isReady = starts.isReady(attempt) || (await starts.ready([attempt])).has(attempt);
  return isReady && !stop.aborted;
}

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
