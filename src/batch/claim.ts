import { Attempt, type Runner } from '../attempts/attempt.ts';
import { countsDeaths } from '../attempts/rules.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import { recordsStarts } from '../attempts/starts.ts';
import { mayPass } from '../base/errors.ts';
import { type AcquireOutcome, type ClaimRequest, DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import type { BatchAttempt, BatchContext, ConflictPolicy } from './context.ts';
import type { PlannedRecord } from './plan.ts';
import type { Schedule } from './schedule.ts';
import type { Reach } from './record-route.ts';

/** The continuation of claimed attempts. */
export interface AfterClaim extends Runner<PlannedRecord> {
  /** The attempt is in turn and answered: `held` or `refused`. */
  claimed(attempt: BatchAttempt): void;
}

/**
 * The first stage: requests the claims of a group of records, in one request that groups of other invocations
 * may share. Each record becomes an attempt. An attempt that is answered early waits for its turn.
 */
export class ClaimStage {
  readonly #context: BatchContext;
  readonly #turns: Pick<Schedule, 'isInTurn'>;
  readonly #after: AfterClaim;
  readonly #lockedBy: string | undefined;
  readonly #recordsStart: boolean;
  /** Attempts that were withdrawn before their answer arrived. */
  readonly #unwanted = new Map<BatchAttempt, (attempt: BatchAttempt) => void>();

  /** Shared by all attempts, to avoid a closure each. */
  readonly #note = (attempt: BatchAttempt, outcome: AcquireOutcome, request: ClaimRequest): void => {
    attempt.answer(outcome);
    // The store may have written a claim whose answer was lost. It is released when the store answers again.
    if (outcome.status === 'error' && mayPass(outcome.error)) this.#noteLost(attempt, request);
    const onAnswered = this.#unwanted.get(attempt);
    if (onAnswered !== undefined) {
      this.#unwanted.delete(attempt);
      onAnswered(attempt);
    } else if (attempt.isInTurn) this.#after.claimed(attempt);
  };

  constructor(context: BatchContext, turns: Pick<Schedule, 'isInTurn'>, after: AfterClaim) {
    this.#context = context;
    this.#turns = turns;
    this.#after = after;
    this.#lockedBy = lockedBy(context);
    this.#recordsStart = recordsStarts(context.claims);
  }

  claim(group: readonly PlannedRecord[]): void {
    const { time, claims, ledger } = this.#context;
    const leaseMs = time.leaseMs();
    const askedAt = time.clock.now();
    const attempts: BatchAttempt[] = [];
    const requests: ClaimRequest[] = [];
    for (const record of group) {
      const scope = record.route?.scope ?? this.#context;
      const attempt = new Attempt(record, claims.newOwner(), askedAt, scope, this.#after);
      attempts.push(attempt);
      requests.push(this.#requestFor(attempt, leaseMs));
      // rule: busy-in-turn
      if (!this.#turns.isInTurn(record)) continue;
      attempt.isInTurn = true;
      claims.activity.busy += 1;
      if (record.route !== undefined) record.route.busy += 1;
    }
    ledger.noteAttempts(attempts);
    claims.acquires.putAll(requests, attempts, this.#note);
  }

  /** Starts the turn of a record whose claim was requested ahead. */
  enter(record: PlannedRecord): void {
    const { ledger, claims } = this.#context;
    claims.activity.busy += 1;
    if (record.route !== undefined) record.route.busy += 1;
    const attempt = ledger.attemptOf(record) as BatchAttempt;
    attempt.isInTurn = true;
    if (attempt.state !== 'asked') this.#after.claimed(attempt);
  }

  /** Withdraws a record. `onAnswered` gets its attempt once it is answered, or undefined if there is none. */
  withdraw(record: PlannedRecord, onAnswered: (attempt: BatchAttempt | undefined) => void): void {
    const attempt = this.#context.ledger.attemptOf(record) as BatchAttempt | undefined;
    if (attempt?.state === 'asked') this.#unwanted.set(attempt, onAnswered);
    else onAnswered(attempt);
  }

  /** Asks again under one new owner, so that a poll whose answer was lost recognises its own claim. */
  async claimAgain(attempt: BatchAttempt, policy: ConflictPolicy): Promise<void> {
    const { claims, time } = this.#context;
    const known = attempt.refusal as AcquireOutcome;
    attempt.askAgain(claims.newOwner(), time.clock.now());
    const makeRequest = (): ClaimRequest => this.#requestFor(attempt, time.leaseMs());
    const onLost = (request: ClaimRequest): void => this.#noteLost(attempt, request);
    const outcome = await policy.wait(known, makeRequest, onLost, this.#context);
    claims.activity.busy += 1;
    const { route } = attempt.of;
    if (route !== undefined) route.busy += 1;
    this.#note(attempt, outcome, makeRequest());
    this.#after.answered();
  }

  /** Notes a claim to be released. Its row is then kept for `retentionMs.failed`. */
  #noteLost({ scope }: BatchAttempt, { key, owner }: ClaimRequest): void {
    const retentionMs = scope.claims.rules.retention.failed;
    this.#context.claims.unstarted.note({ key, owner, retentionMs });
  }

  /** Built by hand: a spread is slower for thousands of requests. */
  #requestFor({ of, owner, scope }: BatchAttempt, leaseMs: number): ClaimRequest {
    const { key, payloadHash, record, recordId } = of;
    const request: { -readonly [Member in keyof ClaimRequest]: ClaimRequest[Member] } = {
      key,
      owner,
      leaseMs,
      retentionMs: scope.claims.rules.retention.inProgress,
      recordId,
      isRedelivery: record !== undefined && record.receiveCount > 1,
    };
    if (payloadHash !== undefined) request.payloadHash = payloadHash;
    if (this.#lockedBy !== undefined) request.lockedBy = this.#lockedBy;
    if (scope === this.#context ? this.#recordsStart : recordsStarts(scope.claims))
      request.recordsStart = true;
    return request;
  }
}

/** Describes the holder of the claim, for people who read the row. */
export function lockedBy({ lambda }: Pick<BatchContext, 'lambda'>): string | undefined {
  return lambda?.functionName === undefined
    ? undefined
    : `${lambda.functionName}:${lambda.functionVersion} ${lambda.awsRequestId}`;
}

/**
 * Returns how far ahead to claim so that `concurrency` handlers stay busy. A whole request is claimed if the
 * leases last to the end of the invocation. If a claim that never starts could count as a crash, no claim is
 * made beyond `concurrency`.
 */
export function reachOf({ claims: { store, rules }, time }: AttemptScope, concurrency: number): Reach {
  const requestSize = store.requestSize ?? DEFAULT_REQUEST_SIZE;
  if (countsDeaths(rules) && !recordsStarts({ store, rules })) {
    return { ahead: concurrency, atLeast: 0, atMost: requestSize };
  }
  const lastsToTheEnd = time.leaseMs() >= time.deadline.remainingTimeMs();
  return {
    ahead: 2 * concurrency,
    atLeast: lastsToTheEnd ? requestSize : DEFAULT_REQUEST_SIZE,
    atMost: requestSize,
  };
}
