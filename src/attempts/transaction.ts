import type { CommitOutcome } from '../claims/commit.ts';
import { asError } from '../claims/store-errors.ts';
import type { Ending } from './ending.ts';
import { CommitNotAllowedError } from './errors.ts';
import { LeaseLostError } from './stop-errors.ts';

export interface Committed {
  readonly result: unknown;
  readonly ending: Extract<Ending, { readonly end: 'complete' }>;
}

/**
 * What one run of a handler commits together with its completion. It is always in one of these states:
 *
 * | state   | entered                                        | left                                         |
 * |---------|------------------------------------------------|----------------------------------------------|
 * | none    | at first; when nothing was written nor will be | by `run`                                     |
 * | pending | by `run`                                       | by the store's answer, or the end of the work |
 * | stored  | effect and completion are written              | never: the attempt is completed              |
 * | failed  | the claim is lost, or may have been completed  | never: the row alone knows, so that no other |
 * |         | without our knowing                            | commit and no success is written over it     |
 */
export class Transaction {
  #state: 'none' | 'pending' | 'stored' | 'failed' = 'none';
  #failure: Error | undefined;
  #notDone: Error | undefined;
  #working: Promise<void> | undefined;
  #answering: Promise<unknown> | undefined;
  #isClosed = false;
  /** What was committed, with the handler's knowledge: the result, and the completion that was made of it. */
  committed: Committed | undefined;

  get isStored(): boolean {
    return this.#state === 'stored';
  }

  /** Why the handler's end must not be stored as a success. */
  get failure(): Error | undefined {
    return this.#failure ?? this.#notDone;
  }

  /** Whether all may be written without our knowing: the row tells. */
  get isUnknown(): boolean {
    return this.#state === 'failed';
  }

  /** Resolves when no answer of the store is outstanding; never rejects. */
  async whenAnswered(): Promise<void> {
    await this.#answering;
  }

  /** The handler has ended: what is in progress is awaited, and its outcome no longer reaches the handler. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
  }

  /** Does work that commits with `commit`; it ends as the work does. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    // rule: one-commit
    if (this.#state !== 'none') throw new CommitNotAllowedError(this.#state);
    this.#state = 'pending';
    this.#notDone = undefined;
    const noted = work().then(
      (result) => {
        this.#noteEnd();
        return { result };
      },
      (thrown: unknown) => {
        this.#noteEnd(asError(thrown));
        return { thrown };
      },
    );
    this.#working = noted.then(() => undefined);
    const end = await noted;
    if ('result' in end) return end.result;
    // Not awaited any more, and an unhandled rejection would end the process.
    if (this.#isClosed) await new Promise(() => undefined);
    throw end.thrown;
  }

  /** One attempt of the work to write all. Rejects where the effect is not known to be written; after a refusal it may be called again. */
  async commit(ask: () => Promise<CommitOutcome>): Promise<void> {
    if (this.#state !== 'pending')
      throw new CommitNotAllowedError(this.#state === 'none' ? 'ended' : this.#state);
    const asking = ask().then(
      (outcome) => this.#note(outcome),
      (thrown: unknown) => this.#fail(asError(thrown)),
    );
    this.#answering = asking;
    const error = await asking;
    if (error !== undefined) throw error;
  }

  /** See `AttemptTransaction`. */
  noteNotDone(error: Error): void {
    this.#notDone = error;
  }

  /** Returns the error for the work, or nothing if all is written. */
  #note(outcome: CommitOutcome): Error | undefined {
    if (outcome === 'stored') {
      this.#state = 'stored';
      return undefined;
    }
    if (outcome === 'lost') return this.#fail(new LeaseLostError());
    return 'error' in outcome ? this.#fail(outcome.error) : outcome.refused;
  }

  #noteEnd(error?: Error): void {
    if (this.#state !== 'pending') return;
    this.#state = 'none';
    // A handler that has ended without waiting has not decided what its refusal means.
    if (error !== undefined && this.#isClosed) this.#notDone = error;
  }

  #fail(error: Error): Error {
    this.#state = 'failed';
    this.#failure = error;
    return error;
  }
}
