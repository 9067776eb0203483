import { Attempt } from '../attempts/attempt.ts';
import { recordsStarts } from '../attempts/starts.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import { mayPass } from '../base/errors.ts';
import type { ClaimAnswer, Entry } from './entry.ts';
import type { BatchScope } from './scope.ts';

/** Asks the store for the claims of one invocation's records, and gives the outcomes. */
export class Claiming {
  readonly scope: BatchScope;
  readonly #lockedBy: string | undefined;
  readonly #recordsStart: boolean;

  constructor(scope: BatchScope) {
    this.scope = scope;
    this.#lockedBy = lockedBy(scope);
    this.#recordsStart = recordsStarts(scope);
  }

  /** Asks for the claims of these, which may share a request with others. The answers never reject. */
  ask(entries: readonly Entry[]): Promise<ClaimAnswer>[] {
    const { acquires, clock, newOwner } = this.scope;
    const leaseMs = this.scope.leaseMs();
    const askedAt = clock.now();
    const requests = entries.map((entry) => this.requestFor(entry, newOwner(), leaseMs));
    return acquires.add(requests, (outcome, index) =>
      this.answerOf(entries[index] as Entry, requests[index] as ClaimRequest, outcome, clock.now() - askedAt),
    );
  }

  /** Not of spreads: there are thousands. */
  requestFor(
    { key, payloadHash, record, recordId }: Entry,
    owner: string,
    leaseMs: number = this.scope.leaseMs(),
  ): ClaimRequest {
    const request: { -readonly [Member in keyof ClaimRequest]: ClaimRequest[Member] } = {
      key,
      owner,
      leaseMs,
      retentionMs: this.scope.rules.retention.inProgress,
      recordId,
      isRedelivery: record !== undefined && record.receiveCount > 1,
    };
    if (payloadHash !== undefined) request.payloadHash = payloadHash;
    if (this.#lockedBy !== undefined) request.lockedBy = this.#lockedBy;
    if (this.#recordsStart) request.recordsStart = true;
    return request;
  }

  /** How an entry uses the outcome of its acquire, and what the observer is told. */
  answerOf(entry: Entry, request: ClaimRequest, outcome: AcquireOutcome, durationMs: number): ClaimAnswer {
    const { unstarted, notify, endingOf } = this.scope;
    // A claim that went unanswered may be written all the same: it is given back once the store answers again.
    if (outcome.status === 'error' && mayPass(outcome.error)) unstarted.note(request);
    if (outcome.status !== 'acquired') return outcome;
    const { recordId, key } = entry;
    const { owner } = request;
    const { attempt, releases, crashes, leaseUntil, tookOver } = outcome;
    notify({ type: 'claimed', recordId, key, owner, attempt, leaseUntil, durationMs });
    if (tookOver) notify({ type: 'tookOver', recordId, key, owner, attempt, crashes });
    const claim = { owner, attempt, releases, crashes, leaseUntil };
    return { status: 'held', attempt: new Attempt(entry, claim, this.scope, endingOf) };
  }
}

/** The holder of the claim, for a person who reads the row. */
export function lockedBy({ lambda }: Pick<BatchScope, 'lambda'>): string | undefined {
  return lambda?.functionName === undefined
    ? undefined
    : `${lambda.functionName}:${lambda.functionVersion} ${lambda.awsRequestId}`;
}
