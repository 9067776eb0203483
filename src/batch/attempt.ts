import type { Context } from 'aws-lambda';
import type { Completion, SettleOutcome, Settlement } from '../claims/claim-store.ts';
import { contentOf } from '../claims/commit.ts';
import type { GroupCommit } from '../claims/group-commit.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import { type Deadline, defaultLeaseMs } from './deadline.ts';
import type { Entry, HeldClaim } from './entry.ts';
import {
  CommitNotAllowedError,
  CompletionNotStoredError,
  isInvalidBody,
  LapsedLeaseError,
  TooManyAttemptsError,
  TooManyCrashesError,
} from './errors.ts';
import type { HeartbeatOptions, Settings } from './options.ts';
import type { RecordOutcome } from './outcomes.ts';
import type { ProcessorPorts } from './ports.ts';
import type { HandlerReturn } from './handler-end.ts';
import { Transaction } from './transaction.ts';
import { verdict } from './verdict.ts';
import { countedAttempts } from '../claims/claim.ts';

/** What all attempts of one invocation share. */
export interface InvocationScope {
  readonly settings: Settings;
  readonly ports: ProcessorPorts;
  readonly deadline: Deadline;
  readonly commit: GroupCommit<SettlingEnd>;
  readonly lambda: Context | undefined;
  /** See `SourceBatch`: leases are then short, and renewed while handlers run. */
  readonly comesAgainSoon: boolean;
}

type LeaseScope = Pick<InvocationScope, 'settings' | 'deadline' | 'comesAgainSoon'>;

/** How leases are renewed while handlers run; undefined: not at all. */
export function heartbeatOf({ settings, comesAgainSoon }: LeaseScope): HeartbeatOptions | undefined {
  return settings.heartbeat ?? (comesAgainSoon ? {} : undefined);
}

/**
 * The lease where the next delivery may come before the invocation could end. Lambda's first retry of an asynchronous
 * invocation comes a minute after the failure: by then a dead process's lease has to be over, or the retry is wasted.
 * Long enough that a busy event loop has half a minute to get to its renewal.
 */
const SHORT_LEASE_MS = 45_000;

/** The length of a lease that is asked for now. */
export function leaseMsNow({ settings, deadline, comesAgainSoon }: LeaseScope): number {
  const defaultMs = defaultLeaseMs(deadline.remainingTimeMs());
  return settings.leaseMs ?? (comesAgainSoon ? Math.min(defaultMs, SHORT_LEASE_MS) : defaultMs);
}

/** Makes leases last at least `minimumMs` from now, in one request; none becomes shorter. Never rejects. */
export async function extendLeases(
  attempts: readonly Attempt[],
  minimumMs: number,
  { ports, settings, deadline }: InvocationScope,
  signal: AbortSignal = deadline.answerNow,
): Promise<SettleOutcome[]> {
  const askedAt = ports.clock.now();
  const retentionMs = settings.retention.inProgress;
  const extensions = attempts.map(({ entry: { key }, claim: { owner, leaseUntil } }) => ({
    key,
    owner,
    leaseMs: Math.max(minimumMs, leaseUntil - askedAt),
    retentionMs,
  }));
  try {
    const outcomes = await ports.store.extend(extensions, { signal });
    attempts.forEach(({ claim }, index) => {
      // The store's lease begins when it writes; what the handler is told must not be later than that.
      const leaseUntil = askedAt + (extensions[index]?.leaseMs ?? 0);
      if (outcomes[index] === 'stored' && leaseUntil > claim.leaseUntil) claim.leaseUntil = leaseUntil;
    });
    return await Promise.all(attempts.map((attempt, index) => attempt.unlessCommitted(outcomes[index])));
  } catch (thrown) {
    return attempts.map(() => ({ error: thrown as Error }));
  }
}

/** Renews the leases that are short, in one request, before their attempts start. False: may not start. Never rejects. */
export async function ensureLeases(attempts: readonly Attempt[], scope: InvocationScope): Promise<boolean[]> {
  const leaseMs = leaseMsNow(scope);
  const { clock } = scope.ports;
  const short = attempts.filter(({ isLeaseShort }) => isLeaseShort);
  if (short.length === 0) return attempts.map(() => true);
  // Not waited for beyond the time when it may still start: then its claim has to be given back.
  const outcomes = await extendLeases(short, leaseMs, scope, scope.deadline.stop);
  const notRenewed = new Set(short.filter((_, index) => outcomes[index] !== 'stored'));
  // A renewal that took longer than the lease it brought is none.
  return attempts.map(
    (attempt) => !attempt.isClaimed || (!notRenewed.has(attempt) && attempt.claim.leaseUntil > clock.now()),
  );
}

/** One attempt of one key: what it may write about its claim, each time conditional on its owner. */
export class Attempt {
  readonly entry: Entry;
  readonly claim: HeldClaim;
  /** What observers know the attempt by. */
  readonly facts: Omit<SettlingEnd, 'end'>;
  readonly #scope: InvocationScope;
  /** Made when the handler commits something; most never do. */
  #transaction: Transaction | undefined;
  #hasEnded = false;

  constructor(entry: Entry, claim: HeldClaim, scope: InvocationScope) {
    this.entry = entry;
    this.claim = claim;
    entry.claim = claim;
    entry.isClaimOpen = this.isClaimed;
    const { recordId, key } = entry;
    this.facts = { recordId, key, owner: claim.owner, attempt: claim.attempt };
    this.#scope = scope;
  }

  /** False for a run without a claim: there is nothing to write. */
  get isClaimed(): boolean {
    return true;
  }

  /** Whether its claim has waited so long for the start that it can promise a handler next to nothing. */
  get isLeaseShort(): boolean {
    const leaseMs = leaseMsNow(this.#scope);
    return this.isClaimed && this.claim.leaseUntil - this.#scope.ports.clock.now() < leaseMs / 2;
  }

  /** Why the key is to be parked instead of being run once more. */
  get refusal(): Error | undefined {
    const { maxAttempts, maxCrashes, onLapsedLease } = this.#scope.settings;
    const { crashes } = this.claim;
    // Not `tookOver`: the answer of a takeover may be lost, and the second one says that the claim was mine.
    if (onLapsedLease === 'park' && crashes > 0) return new LapsedLeaseError();
    if (maxCrashes !== undefined && crashes >= maxCrashes) return new TooManyCrashesError(maxCrashes);
    if (maxAttempts !== undefined && countedAttempts(this.claim) > maxAttempts) {
      return new TooManyAttemptsError(maxAttempts);
    }
    return undefined;
  }

  /** Whether its effect and its completion are written: nothing of its claim remains to be. */
  get isCommitted(): boolean {
    return this.#transaction?.isStored === true;
  }

  /** Writes an effect of the store's kind and the completion in one transaction. See `AttemptHandle` for how it rejects. */
  async commit(effect: unknown, result: unknown): Promise<void> {
    const { store, clock, observer } = this.#scope.ports;
    const startedAt = clock.now();
    if (!this.isClaimed) throw new CommitNotAllowedError('unclaimed');
    if (this.#hasEnded) throw new CommitNotAllowedError('ended');
    this.#transaction ??= new Transaction();
    const makeCompletion = (): Completion => this.#settlementOf({ kind: 'returned', result }) as Completion;
    await this.#transaction.commit(store, makeCompletion, effect, this.#scope.deadline.answerNow);
    this.entry.isClaimOpen = false;
    const durationMs = clock.now() - startedAt;
    const content = contentOf(effect);
    const items = Array.isArray(content) ? content.length : 1;
    observer.onEvent({ type: 'committed', ...this.facts, items, durationMs });
  }

  /** Makes the lease last at least `minimumMs` from now; it never becomes shorter. Never rejects. */
  async extend(minimumMs: number): Promise<SettleOutcome> {
    if (this.isCommitted) return 'stored';
    const [outcome = noOutcome()] = await extendLeases([this], minimumMs, this.#scope);
    return outcome;
  }

  /** What an extension came to. A refusal may be the work of this attempt's own commit, whose answer is still on its way. */
  async unlessCommitted(outcome: SettleOutcome = noOutcome()): Promise<SettleOutcome> {
    if (outcome !== 'lost') return outcome;
    await this.#transaction?.whenAnswered();
    return this.isCommitted ? 'stored' : 'lost';
  }

  /** Gives back a claim that was not started: it does not count, and the record can run elsewhere at once. */
  async release(): Promise<SettleOutcome> {
    const { settings, ports, commit } = this.#scope;
    const { key } = this.entry;
    const { owner, releases } = this.claim;
    const retentionMs = settings.retention.failed;
    const outcome = await commit.settle(
      { end: 'release', key, owner, releases, retentionMs },
      { ...this.facts, end: 'release' },
    );
    this.entry.isClaimOpen = typeof outcome === 'object';
    if (typeof outcome === 'object') {
      ports.unstarted.note({ key, owner, retentionMs });
      ports.observer.onEvent({
        type: 'settleFailed',
        ...this.facts,
        effectDone: false,
        error: outcome.error,
      });
    }
    return outcome;
  }

  /** Stores how the handler ended, together with others, and says what that makes of the record. */
  settle(end: HandlerReturn): Promise<RecordOutcome> {
    this.#hasEnded = true;
    // Nearly always: one promise less for each record.
    return this.#transaction === undefined
      ? this.#settleEnd(end)
      : this.#settleBeside(this.#transaction, end);
  }

  /** The handler has committed something, or tried to. */
  async #settleBeside(transaction: Transaction, end: HandlerReturn): Promise<RecordOutcome> {
    await transaction.close();
    if (transaction.isStored) {
      this.#noteCommitted(end);
      this.#scope.commit.flushIfIdle();
      return { status: 'completed' };
    }
    const { failure } = transaction;
    if (failure === undefined) return this.#settleEnd(end);
    // Whatever the handler made of it, its effect is not known to be written, so that it may run again.
    const outcome = await this.#settleEnd(
      end.kind === 'threw' ? end : { kind: 'threw', error: failure, wasAborted: true },
    );
    return (await this.#wasCommittedUnnoticed()) ? { status: 'completed' } : outcome;
  }

  /** What becomes of a record whose handler the batch does not wait for any longer. */
  outcomeOfAbandoned(error: Error): RecordOutcome {
    return this.isCommitted ? { status: 'completed' } : { status: 'failed', error };
  }

  async #settleEnd(end: HandlerReturn): Promise<RecordOutcome> {
    const settlement = this.#settlementOf(end);
    const { recordId, key, owner, attempt } = this.facts; // spread, for thousands of records, it is dear
    const outcome = await this.#scope.commit.settle(settlement, {
      recordId,
      key,
      owner,
      attempt,
      end: settlement.end,
    });
    this.entry.isClaimOpen = typeof outcome === 'object';
    this.#noteUnlessStored(outcome, end);

    if (end.kind !== 'returned') {
      // A store's error never hides the business error.
      const isParked = settlement.end === 'park' && outcome === 'stored';
      if (isParked) {
        this.#scope.ports.observer.onEvent({ type: 'parked', recordId, key, error: end.error });
      }
      const parkedAs = isInvalidBody(end.error) ? 'invalid' : 'parked';
      return { status: isParked ? parkedAs : 'failed', error: end.error };
    }
    if (outcome === 'stored') return { status: 'completed' };
    if (outcome === 'lost') return { status: 'lost' };
    const { settings, ports } = this.#scope;
    if (settings.onStoreError === 'run') {
      ports.observer.onEvent({ type: 'withoutClaim', recordId, key, error: outcome.error });
      return { status: 'completed', withoutClaim: true };
    }
    return { status: 'failed', error: new CompletionNotStoredError({ cause: outcome.error }) };
  }

  /** The batch has gone on without the handler; if the claim is still this attempt's, its end is stored all the same. */
  async settleLate(late: HandlerReturn): Promise<void> {
    this.#hasEnded = true;
    await this.#transaction?.close();
    if (this.isCommitted) {
      this.#noteCommitted(late);
      return;
    }
    const failure = this.#transaction?.failure;
    const end: HandlerReturn =
      failure === undefined || late.kind === 'threw'
        ? late
        : { kind: 'threw', error: failure, wasAborted: true };
    const { store, observer } = this.#scope.ports;
    const settlement = this.#settlementOf(end);
    observer.onEvent({ type: 'settling', ends: [{ ...this.facts, end: settlement.end }] });
    let outcome: SettleOutcome;
    try {
      [outcome = noOutcome()] = await store.settle([settlement]);
    } catch (thrown) {
      outcome = { error: thrown as Error };
    }
    this.#noteUnlessStored(outcome, end);
  }

  #noteCommitted(end: HandlerReturn): void {
    if (end.kind === 'returned') return;
    this.#scope.ports.observer.onEvent({ type: 'failedAfterCommit', ...this.facts, error: end.error });
  }

  /** After a commit whose answer was lost, and after a settlement that makes sure that nothing of it comes later. */
  async #wasCommittedUnnoticed(): Promise<boolean> {
    try {
      const stored = await this.#scope.ports.store.inspect(this.entry.key);
      return stored?.status === 'COMPLETED' && stored.owner === this.claim.owner;
    } catch {
      return false;
    }
  }

  #settlementOf(end: HandlerReturn): Settlement {
    const { settings, ports } = this.#scope;
    const { settlement, droppedResult } = verdict(
      end,
      this.entry.key,
      this.claim,
      settings,
      ports.store.maxResultBytes,
    );
    const onResultDropped = (error: unknown): void =>
      ports.observer.onEvent({ type: 'resultDropped', ...this.facts, error });
    if (droppedResult !== undefined) onResultDropped(droppedResult);
    const hasResult = settlement.end === 'complete' && settlement.result !== undefined;
    return hasResult ? { ...settlement, onResultDropped } : settlement;
  }

  #noteUnlessStored(outcome: SettleOutcome, end: HandlerReturn): void {
    if (outcome === 'stored') return;
    const { observer } = this.#scope.ports;
    const effectDone = end.kind === 'returned';
    if (outcome === 'lost') observer.onEvent({ type: 'leaseLost', ...this.facts, effectDone });
    else observer.onEvent({ type: 'settleFailed', ...this.facts, effectDone, error: outcome.error });
  }
}

function noOutcome(): SettleOutcome {
  return { error: new Error('The claim store answered with fewer outcomes than it was asked for') };
}
