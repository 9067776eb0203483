import type { Context } from 'aws-lambda';
import type { SettleOutcome, Settlement } from '../claims/claim-store.ts';
import type { GroupCommit } from '../claims/group-commit.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import { type Deadline, defaultLeaseMs } from './deadline.ts';
import type { Entry, HeldClaim } from './entry.ts';
import { CompletionNotStoredError } from './errors.ts';
import type { Settings } from './options.ts';
import type { RecordOutcome } from './outcomes.ts';
import type { Ports } from './ports.ts';
import type { HandlerReturn } from './handler-end.ts';
import { countedAttempts, verdict } from './verdict.ts';

/** What all attempts of one invocation share. */
export interface InvocationScope {
  readonly settings: Settings;
  readonly ports: Ports;
  readonly deadline: Deadline;
  readonly commit: GroupCommit<SettlingEnd>;
  readonly lambda: Context | undefined;
}

/** The length of a lease that is asked for now. */
export function leaseMsNow({ settings, deadline }: Pick<InvocationScope, 'settings' | 'deadline'>): number {
  return settings.leaseMs ?? defaultLeaseMs(deadline.remainingTimeMs());
}

/** One attempt of one key: what it may write about its claim, each time conditional on its owner. */
export class Attempt {
  readonly entry: Entry;
  readonly claim: HeldClaim;
  /** What observers know the attempt by. */
  readonly facts: Omit<SettlingEnd, 'end'>;
  readonly #scope: InvocationScope;

  constructor(entry: Entry, claim: HeldClaim, scope: InvocationScope) {
    this.entry = entry;
    this.claim = claim;
    const { recordId, key } = entry;
    this.facts = { recordId, key, owner: claim.owner, attempt: claim.attempt };
    this.#scope = scope;
  }

  /** Whether `maxAttempts` attempts have ended before this one. */
  get isOneTooMany(): boolean {
    const { maxAttempts } = this.#scope.settings;
    return maxAttempts !== undefined && countedAttempts(this.claim) > maxAttempts;
  }

  /** Makes the lease last at least `minimumMs` from now; it never becomes shorter. Never rejects. */
  async extend(minimumMs: number): Promise<SettleOutcome> {
    const { ports, settings, deadline } = this.#scope;
    const { key } = this.entry;
    const { owner } = this.claim;
    const askedAt = ports.clock.now();
    const leaseMs = Math.max(minimumMs, this.claim.leaseUntil - askedAt);
    try {
      const [outcome = noOutcome()] = await ports.store.extend(
        [{ key, owner, leaseMs, retentionMs: settings.retentionMs }],
        { signal: deadline.answerNow },
      );
      // The store's lease begins when it writes; what the handler is told must not be later than that.
      if (outcome === 'stored') this.claim.leaseUntil = askedAt + leaseMs;
      return outcome;
    } catch (thrown) {
      return { error: thrown as Error };
    }
  }

  /**
   * A claim that waited long for its slot has little of its lease left, too little to promise a handler
   * anything: it is renewed before the start. False: it may not start.
   */
  async ensureLease(): Promise<boolean> {
    const leaseMs = leaseMsNow(this.#scope);
    const { clock } = this.#scope.ports;
    if (this.claim.leaseUntil - clock.now() >= leaseMs / 2) return true;
    // A renewal that took longer than the lease it brought is none.
    return (await this.extend(leaseMs)) === 'stored' && this.claim.leaseUntil > clock.now();
  }

  /** Gives back a claim that was not started: it does not count, and the record can run elsewhere at once. */
  async release(): Promise<SettleOutcome> {
    const { settings, ports, commit } = this.#scope;
    const { key } = this.entry;
    const { owner, releases } = this.claim;
    const outcome = await commit.settle(
      { end: 'release', key, owner, releases, retentionMs: settings.retentionMs },
      { ...this.facts, end: 'release' },
    );
    if (typeof outcome === 'object') {
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
  async settle(end: HandlerReturn): Promise<RecordOutcome> {
    const settlement = this.#settlementOf(end);
    const outcome = await this.#scope.commit.settle(settlement, { ...this.facts, end: settlement.end });
    this.#noteUnlessStored(outcome, end);

    if (end.kind === 'threw') {
      // A store's error never hides the business error.
      const isParked = settlement.end === 'park' && outcome === 'stored';
      if (isParked) {
        const { recordId, key } = this.entry;
        this.#scope.ports.observer.onEvent({ type: 'parked', recordId, key, error: end.error });
      }
      return { status: isParked ? 'parked' : 'failed', error: end.error };
    }
    if (outcome === 'stored') return { status: 'completed' };
    if (outcome === 'lost') return { status: 'lost' };
    return { status: 'failed', error: new CompletionNotStoredError({ cause: outcome.error }) };
  }

  /** The batch has gone on without the handler; if the claim is still this attempt's, its end is stored all the same. */
  async settleLate(end: HandlerReturn): Promise<void> {
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

  #settlementOf(end: HandlerReturn): Settlement {
    const { settings, ports } = this.#scope;
    const { settlement, droppedResult } = verdict(
      end,
      this.entry.key,
      this.claim,
      settings,
      ports.store.maxResultBytes,
    );
    if (droppedResult !== undefined) {
      ports.observer.onEvent({ type: 'resultDropped', ...this.facts, error: droppedResult });
    }
    return settlement;
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
