import type { AttemptTransaction } from '../claims/attempt-handle.ts';
import type { Completion, SettleOutcome, Settlement } from '../claims/claim-store.ts';
import { type CommitOutcome, contentOf } from '../claims/commit.ts';
import { ConfigurationError } from '../base/errors.ts';
import { whenAborted } from '../base/stop.ts';
import { asError, missingOutcome } from '../claims/store-errors.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import { type Ending, type EndingOf, settlementOf } from './ending.ts';
import { CommitNotAllowedError, CommitResultError } from './errors.ts';
import type { AttemptEnd, HandlerReturned, HandlerThrew } from './handler-end.ts';
import type { HeldClaim } from './held-claim.ts';
import { extendLeases, type LeasedClaim } from './lease.ts';
import { isLastAttempt } from './rules.ts';
import type { AttemptScope } from './scope.ts';
import { Transaction } from './transaction.ts';

/** What an attempt works on, and where it notes its claim. */
export interface Work {
  readonly key: string;
  /** What observers know the record by. */
  readonly recordId: string;
  /** The last claim, and whether that is neither settled nor given back, for all that this process knows. */
  claim: HeldClaim | undefined;
  isClaimOpen: boolean;
}

/** How an attempt ended in the store; `committed`: its effect and its completion are written together. */
export type Settled =
  | 'committed'
  | {
      /** What was stored, or was to be: after a commit that failed, not how the handler ended. */
      readonly end: AttemptEnd;
      readonly ending: Ending;
      readonly outcome: SettleOutcome;
    };

/** What was committed: the result, and the completion that was made of it. */
export interface Committed {
  readonly result: unknown;
  readonly ending: Extract<Ending, { readonly end: 'complete' }>;
}

/**
 * One attempt of one key, from acquired to settled: what it may write about its claim, each time conditional on its
 * owner.
 */
export class Attempt implements LeasedClaim {
  readonly key: string;
  readonly claim: HeldClaim;
  /** What observers know the attempt by. */
  readonly facts: Omit<SettlingEnd, 'end'>;
  readonly #work: Work;
  readonly #scope: AttemptScope;
  readonly #endingOf: EndingOf;
  /** Made when the handler commits something; most never do. */
  #transaction: Transaction | undefined;
  #committed: Committed | undefined;
  #hasEnded = false;

  constructor(work: Work, claim: HeldClaim, scope: AttemptScope, endingOf: EndingOf) {
    const { key, recordId } = work;
    work.claim = claim;
    work.isClaimOpen = true;
    this.key = key;
    this.claim = claim;
    this.#work = work;
    this.facts = { recordId, key, owner: claim.owner, attempt: claim.attempt };
    this.#scope = scope;
    this.#endingOf = endingOf;
  }

  get leaseUntil(): number {
    return this.claim.leaseUntil;
  }

  /** Whether its effect and its completion are written: nothing of its claim remains to be. */
  get isCommitted(): boolean {
    return this.#transaction?.isStored === true;
  }

  /** What was committed, by its own handler and with its knowledge. */
  get committed(): Committed | undefined {
    return this.#committed;
  }

  /** Why its handler's end must not be stored as a success. */
  get commitFailure(): Error | undefined {
    return this.#transaction?.failure;
  }

  /** Does work that commits an effect together with the completion. See `AttemptHandle`. */
  async transact<Result>(work: (transaction: AttemptTransaction) => Promise<Result>): Promise<Result> {
    if (this.#hasEnded) throw new CommitNotAllowedError('ended');
    const transaction = (this.#transaction ??= new Transaction());
    const own: AttemptTransaction = {
      complete: (effect, result) => this.#completeWith(transaction, effect, result),
      noteNotDone: (error) => transaction.noteNotDone(error),
    };
    return transaction.run(async () => work(own));
  }

  /** Writes an effect of the store's kind and the completion in one transaction. */
  async #completeWith(transaction: Transaction, effect: unknown, result: unknown): Promise<void> {
    const { clock, notify } = this.#scope;
    const startedAt = clock.now();
    const ending = this.#decide({ kind: 'returned', result });
    // Of a function or a request: what would be parked, or fail, must not be committed as done.
    if (ending.end !== 'complete') throw new CommitResultError(ending.problem ?? ending.error.message);
    await transaction.commit(() => this.#commit(effect, ending));
    this.#committed = { result, ending };
    this.#work.isClaimOpen = false;
    const durationMs = clock.now() - startedAt;
    const content = contentOf(effect);
    const items = Array.isArray(content) ? content.length : 1;
    notify({ type: 'committed', ...this.facts, items, durationMs });
  }

  #commit(effect: unknown, ending: Ending): Promise<CommitOutcome> {
    const { store, deadline } = this.#scope;
    if (store.commit === undefined) {
      const error = new ConfigurationError(
        'The claim store of this processor has no commit(): use the store that the commit function belongs to, or in tests memoryStore({ onCommit })',
      );
      return Promise.resolve({ refused: error });
    }
    const { signal } = deadline.answerNow;
    // When the answer has left already, nothing is gained by giving up.
    return store.commit(this.#settlementOf(ending) as Completion, effect, signal.aborted ? {} : { signal });
  }

  /** Makes the lease last at least `minimumMs` from now; it never becomes shorter. Never rejects. */
  async extend(minimumMs: number): Promise<SettleOutcome> {
    if (this.isCommitted) return 'stored';
    const [outcome = { error: missingOutcome() }] = await extendLeases([this], minimumMs, this.#scope);
    return outcome;
  }

  /** The outcome of an extension. A refusal may be caused by this attempt's own commit, whose answer has not arrived yet. */
  async unlessCommitted(outcome: SettleOutcome): Promise<SettleOutcome> {
    if (outcome !== 'lost') return outcome;
    await this.#transaction?.whenAnswered();
    return this.isCommitted ? 'stored' : 'lost';
  }

  /** Gives back a claim that was not started: it does not count, and the key can run elsewhere at once. */
  release(): Promise<SettleOutcome> {
    const { rules, settlements, unstarted, notify } = this.#scope;
    const { key, facts } = this;
    const { owner, releases } = this.claim;
    const retentionMs = rules.retention.failed;
    const release: Settlement = { end: 'release', key, owner, releases, retentionMs };
    return settlements.settle(release, { ...facts, end: 'release' }, (outcome) => {
      this.#work.isClaimOpen = typeof outcome === 'object';
      if (typeof outcome === 'object') {
        unstarted.note({ key, owner, retentionMs });
        notify({ type: 'settleFailed', ...facts, effectDone: false, error: outcome.error });
      }
      return outcome;
    });
  }

  /** Stores how the attempt ended, together with others. Never rejects. */
  settle(end: AttemptEnd): Promise<Settled> {
    this.#hasEnded = true;
    // Nearly always: one promise less for each record.
    return this.#transaction === undefined
      ? this.store(this.#decide(end), end)
      : this.#settleBeside(this.#transaction, end);
  }

  /** Stores this ending. Never rejects. */
  store(ending: Ending, end: AttemptEnd): Promise<Settled> {
    const settlement = this.#settlementOf(ending);
    const { recordId, key, owner, attempt } = this.facts; // spread, for thousands of records, it is expensive
    const note = { recordId, key, owner, attempt, end: settlement.end };
    const answerOf = (outcome: SettleOutcome): Settled => {
      this.#work.isClaimOpen = typeof outcome === 'object';
      this.#noteUnlessStored(outcome, end);
      return { end, ending, outcome };
    };
    const triedUntil = end.kind === 'returned' ? this.claim.leaseUntil : undefined;
    return this.#scope.settlements.settle(settlement, note, answerOf, triedUntil);
  }

  /** The handler was no longer awaited; if the claim is still this attempt's, its end is stored all the same. */
  async settleLate(late: HandlerReturned | HandlerThrew): Promise<void> {
    this.#hasEnded = true;
    await this.#transaction?.close();
    if (this.isCommitted) {
      this.#noteCommitted(late);
      return;
    }
    const end = this.#endBeside(late);
    const settlement = this.#settlementOf(this.#decide(end));
    this.#scope.notify({ type: 'settling', ends: [{ ...this.facts, end: settlement.end }] });
    let outcome: SettleOutcome | undefined;
    try {
      [outcome] = await this.#scope.store.settle([settlement]);
    } catch (thrown) {
      outcome = { error: asError(thrown) };
    }
    this.#noteUnlessStored(outcome ?? { error: missingOutcome() }, end);
  }

  /** The handler has committed something, or tried to. */
  async #settleBeside(transaction: Transaction, end: AttemptEnd): Promise<Settled> {
    await transaction.close();
    if (transaction.isStored) {
      this.#noteCommitted(end);
      this.#scope.settlements.flushIfIdle();
      return 'committed';
    }
    const counts = this.#endBeside(end);
    const settled = await this.store(this.#decide(counts), counts);
    return transaction.isUnknown && (await this.#wasCommittedUnnoticed()) ? 'committed' : settled;
  }

  /** Whatever the handler made of a commit that failed, its effect is not known to be written, so that it may run again. */
  #endBeside<End extends AttemptEnd>(end: End): End | HandlerThrew {
    const failure = this.#transaction?.failure;
    if (failure === undefined || end.kind === 'threw') return end;
    return { kind: 'threw', error: failure, thrown: failure, isInconclusive: true };
  }

  /** After a commit whose answer was lost, and after a settlement that makes sure that nothing of it comes later. */
  async #wasCommittedUnnoticed(): Promise<boolean> {
    const { answerNow } = this.#scope.deadline;
    const looking = this.#scope.store.inspect(this.key);
    try {
      // When the answer has left already, nothing is gained by giving up.
      const stored = await (answerNow.aborted ? looking : Promise.race([looking, whenAborted(answerNow)]));
      return stored?.status === 'COMPLETED' && stored.owner === this.claim.owner;
    } catch {
      return false;
    }
  }

  #decide(end: AttemptEnd): Ending {
    const ending = this.#endingOf(end, isLastAttempt(this.claim, this.#scope.rules));
    if (ending.end === 'complete' && ending.dropped !== undefined) this.#noteDropped(ending.dropped);
    return ending;
  }

  #settlementOf(ending: Ending): Settlement {
    const { retention } = this.#scope.rules;
    const mayDrop = ending.end === 'complete' && ending.mayDropResult === true;
    return settlementOf(
      ending,
      this.key,
      this.claim,
      retention,
      mayDrop ? (error) => this.#noteDropped(error) : undefined,
    );
  }

  #noteDropped(error: unknown): void {
    this.#scope.notify({ type: 'resultDropped', ...this.facts, error });
  }

  #noteCommitted(end: AttemptEnd): void {
    if (end.kind === 'returned') return;
    this.#scope.notify({ type: 'failedAfterCommit', ...this.facts, error: end.error });
  }

  #noteUnlessStored(outcome: SettleOutcome, end: AttemptEnd): void {
    if (outcome === 'stored') return;
    const { notify } = this.#scope;
    const effectDone = end.kind === 'returned';
    if (outcome === 'lost') notify({ type: 'leaseLost', ...this.facts, effectDone });
    else notify({ type: 'settleFailed', ...this.facts, effectDone, error: outcome.error });
  }
}
