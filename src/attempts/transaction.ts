import type { ClaimStore, Completion } from '../claims/claim-store.ts';
import type { CommitOutcome } from '../claims/commit.ts';
import { ConfigurationError } from '../claims/errors.ts';
import { CommitNotAllowedError, LeaseLostError } from './errors.ts';

/**
 * What one run of a handler commits together with its completion. It is always in one of these states:
 *
 * | state   | entered                                        | left                                         |
 * |---------|------------------------------------------------|----------------------------------------------|
 * | none    | at first; when nothing was written nor will be | by `commit`                                  |
 * | pending | by `commit`                                    | by the store's answer                        |
 * | stored  | items and completion are written               | never: the attempt is completed              |
 * | failed  | the claim is lost, or may have been completed  | never: the row alone knows, so that no other |
 * |         | without our knowing                            | commit and no success is written over it     |
 */
export class Transaction {
  #state: 'none' | 'pending' | 'stored' | 'failed' = 'none';
  #failure: Error | undefined;
  #pending: Promise<void> | undefined;
  #isClosed = false;

  get isStored(): boolean {
    return this.#state === 'stored';
  }

  /** Why the handler's end must not be stored as a success. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Resolves when nothing is under way; never rejects. */
  async whenAnswered(): Promise<void> {
    await this.#pending;
  }

  /** The handler has ended: what is in progress is awaited, and its outcome no longer reaches the handler. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pending;
  }

  /** Rejects where the effect is not known to be written. */
  async commit(
    store: ClaimStore,
    makeCompletion: () => Completion,
    effect: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    if (store.commit === undefined) {
      throw new ConfigurationError(
        'The claim store of this processor has no commit(): use the store that the commit function belongs to, or in tests memoryStore({ onCommit })',
      );
    }
    if (this.#state !== 'none') throw new CommitNotAllowedError(this.#state);
    this.#state = 'pending';
    // When the answer has left already, nothing is gained by giving up.
    const asking = store.commit(makeCompletion(), effect, signal.aborted ? {} : { signal });
    const noted = asking.then(
      (outcome) => this.#note(outcome),
      (thrown: unknown) => this.#noteRejection(thrown),
    );
    this.#pending = noted.then(() => undefined);
    const error = await noted;
    if (error === undefined) return;
    // Not awaited any more, and an unhandled rejection would end the process.
    if (this.#isClosed) await new Promise(() => undefined);
    throw error;
  }

  /** Returns the error for the handler, or nothing if all is written. */
  #note(outcome: CommitOutcome): Error | undefined {
    if (outcome === 'stored') {
      this.#state = 'stored';
      return undefined;
    }
    if (outcome === 'lost') return this.#fail(new LeaseLostError());
    if ('error' in outcome) return this.#fail(outcome.error);
    const refusal = outcome.refused;
    // A handler that has ended without waiting has not decided what its refusal means.
    if (this.#isClosed) return this.#fail(refusal);
    this.#state = 'none';
    return refusal;
  }

  #noteRejection(thrown: unknown): Error {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return this.#fail(error);
  }

  #fail(error: Error): Error {
    this.#state = 'failed';
    this.#failure = error;
    return error;
  }
}
