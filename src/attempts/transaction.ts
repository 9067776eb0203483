import { whenAborted } from '../base/stop.ts';
import type { CommitOutcome } from '../claims/commit.ts';
import { asError } from '../claims/store-errors.ts';
import type { Ending } from './ending.ts';
import { CommitNotAllowedError } from './errors.ts';
import type { AttemptScope } from './scope.ts';
import { LeaseLostError } from './stop-errors.ts';

export interface Committed {
  readonly result: unknown;
  readonly ending: Extract<Ending, { readonly end: 'complete' }>;
}

/**
 * The transaction of one run of a handler: its effect together with its completion. It is always in one of
 * these states:
 *
 * | state   | entered by                              | left by                                    |
 * |---------|-----------------------------------------|--------------------------------------------|
 * | none    | creation, or work that wrote nothing    | `run`                                      |
 * | pending | `run`                                   | the store's answer, or the end of the work |
 * | stored  | effect and completion are written       | never: the attempt is completed            |
 * | failed  | the claim is lost, or the answer to the | never: only the row knows the outcome, and |
 * |         | commit is unknown                       | no other commit or success overwrites it   |
 */
export class Transaction {
  #state: 'none' | 'pending' | 'stored' | 'failed' = 'none';
  #failure: Error | undefined;
  #notDone: Error | undefined;
  #working: Promise<void> | undefined;
  #answering: Promise<unknown> | undefined;
  #isClosed = false;
  /** The committed result and the completion made from it. */
  committed: Committed | undefined;

  get isStored(): boolean {
    return this.#state === 'stored';
  }

  /** Why the handler's end must not be stored as a success. */
  get failure(): Error | undefined {
    return this.#failure ?? this.#notDone;
  }

  /** Whether the commit may be written although its answer was lost. Only the row can tell. */
  get isUnknown(): boolean {
    return this.#state === 'failed';
  }

  /** Resolves when no answer of the store is pending. Never rejects. */
  async whenAnswered(): Promise<void> {
    await this.#answering;
  }

  /** Ends the handler's access. Pending work is awaited, and its outcome no longer reaches the handler. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
  }

  /** Runs work that may call `commit`, and resolves or rejects as the work does. */
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
    // Nobody awaits it any more, and an unhandled rejection would end the process.
    if (this.#isClosed) await new Promise(() => undefined);
    throw end.thrown;
  }

  /** Tries once to write effect and completion. Rejects unless both are; can be repeated after `refused`. */
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

  /** Returns the error for the work; undefined if all is written. */
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
    // The handler has ended without waiting, so it has not decided what the refusal means.
    if (error !== undefined && this.#isClosed) this.#notDone = error;
  }

  #fail(error: Error): Error {
    this.#state = 'failed';
    this.#failure = error;
    return error;
  }
}

/** Returns whether the row says that a commit without an answer was written. Called when it is fenced. */
export async function wasCommittedUnnoticed({
  key,
  owner,
  scope: { claims, time },
}: {
  readonly key: string;
  readonly owner: string;
  readonly scope: AttemptScope;
}): Promise<boolean> {
  const { answerNow } = time.deadline;
  const looking = claims.store.inspect(key);
  try {
    // If the answer has left already, nothing is gained by giving up.
    const stored = await (answerNow.aborted ? looking : Promise.race([looking, whenAborted(answerNow)]));
    // rule: row-decides-commit
    return stored?.status === 'COMPLETED' && stored.owner === owner;
  } catch {
    return false;
  }
}
