import { bounded } from '../../base/bounded.ts';
import type { AttemptTransaction } from '../../claims/attempt-handle.ts';
import type { Completion } from '../../claims/claim-store.ts';
import type { CommitOutcome } from '../../claims/commit.ts';
import { BatchlatchError } from '../../base/errors.ts';
import { TRANSACTION_STATEMENT_MS } from '../../base/limits.ts';
import { asError } from '../../claims/store-errors.ts';
import type { ClaimsTable } from './claims-table.ts';
import { completeText, completionsAsJson, TRANSACTION_ID } from './complete-text.ts';
import { silent } from './connection.ts';
import { toStoreError } from './failures.ts';
import { checkCommitted, outcomeByRows, type TransactionOutcome } from './outcome-by-row.ts';
import {
  notBegun,
  notInTransaction,
  notRun,
  otherDatabase,
  rolledBack,
  innermost,
  mayRunAgain,
  mayRunAgainAfterOwn,
} from './transaction-errors.ts';
import { storedKey } from './storable.ts';
import type { TransactionAdapter } from './transaction-adapter.ts';
import type { TransactionEffect } from './transaction-effect.ts';

/** The outcome of the function for one attempt: the result to store, or an error. */
export type Made = { readonly result: unknown } | { readonly error: Error };

/** The end of one run. `done`: committed, with the completions of all attempts that have results. */
export type RunEnd =
  | { readonly status: 'done'; readonly made: readonly Made[] }
  /** Rolled back. The attempts at these places cannot take part, each for its own error. */
  | { readonly status: 'without'; readonly errors: ReadonlyMap<number, Error> }
  /** Rolled back, or with an unknown outcome. */
  | { readonly status: 'failed'; readonly error: unknown; readonly mayRunAgain: boolean };

export interface RunSetup<Client> {
  readonly adapter: TransactionAdapter<Client> & { readonly idOf?: (client: Client) => string };
  readonly table: ClaimsTable;
}

interface Write {
  readonly place: number;
  readonly completion: Completion;
  readonly answer: (outcome: CommitOutcome) => void;
}

/**
 * A run of the function in one transaction. The completions are written after the function, just before
 * the COMMIT: until then leases can be renewed and the rows of the claims are not locked.
 */
export class TransactionRun<Client> {
  readonly #transactions: readonly AttemptTransaction[];
  readonly #work: (client: Client) => Promise<readonly Made[]>;
  readonly #adapter: RunSetup<Client>['adapter'];
  readonly #table: ClaimsTable;
  #phase: 'begin' | 'work' | 'complete' | 'commit' = 'begin';
  #made: readonly Made[] = [];
  #id = '';
  /** Set once the run has ended: a transaction that the adapter begins later is rolled back. */
  #isOver = false;
  /** The completion of each attempt, by place; resolves with an error if it is not stored. */
  #calls = new Map<number, Promise<Error | undefined>>();
  #writes: readonly Write[] = [];
  #missing: readonly Write[] = [];
  #errors = new Map<number, Error>();
  #thrown: { readonly error: unknown } | undefined;

  constructor(
    transactions: readonly AttemptTransaction[],
    work: (client: Client) => Promise<readonly Made[]>,
    { adapter, table }: RunSetup<Client>,
  ) {
    this.#transactions = transactions;
    this.#work = work;
    this.#adapter = adapter;
    this.#table = table;
  }

  /** Runs the transaction. Never rejects. */
  async end(): Promise<RunEnd> {
    try {
      await this.#transact().finally(() => (this.#isOver = true));
      // An adapter could make nothing of an error, or of the function.
      if (this.#phase !== 'commit') throw notRun();
      if (this.#adapter.idOf === undefined) await checkCommitted(this.#id, this.#table);
    } catch (thrown) {
      const { error } = this.#thrown ?? { error: thrown };
      return this.#phase === 'commit' ? this.#endOfCommit(error) : this.#endOfRollback(error);
    }
    return this.#endOfCommitted();
  }

  async #endOfCommitted(): Promise<RunEnd> {
    await this.#answer('stored');
    return { status: 'done', made: this.#made };
  }

  /**
   * Resolves when the COMMIT is answered. Rejects if the adapter takes too long to begin or to end the
   * transaction.
   */
  #transact(): Promise<void> {
    return new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      const watch = (limitMs: number, errorOf: () => Error): void => {
        cancel = this.#table.clock.setTimer(() => reject(errorOf()), limitMs);
      };
      const body = async (client: Client): Promise<void> => {
        cancel();
        if (this.#isOver) throw rolledBack();
        try {
          await this.#body(client);
        } catch (error) {
          this.#thrown = { error };
          throw error;
        } finally {
          watch(LONGEST_END_MS, () => silent(TRANSACTION_STATEMENT_MS));
        }
      };
      watch(LONGEST_BEGIN_MS, () => notBegun(LONGEST_BEGIN_MS));
      const transacting = Promise.resolve().then(() => this.#adapter.transaction(body));
      transacting.then(resolve, reject).finally(() => cancel());
    });
  }

  /** The body of the transaction. If it rejects, the transaction is rolled back. */
  async #body(client: Client): Promise<void> {
    // An adapter may run a transaction again by itself: nothing of the run before is written.
    if (this.#calls.size > 0) await this.#answer({ refused: rolledBack() });
    this.#phase = 'begin';
    this.#thrown = undefined;
    this.#errors = new Map();
    this.#id = await this.#idOf(client);
    this.#phase = 'work';
    this.#made = await this.#work(client);
    this.#phase = 'complete';
    await this.#collect(client);
    this.#missing = await this.#write(client);
    if (this.#missing.length > 0 || this.#errors.size > 0 || this.#writes.length === 0) throw rolledBack();
    this.#phase = 'commit';
  }

  /** Hands each attempt its effect, and waits until all completions have arrived. */
  async #collect(client: Client): Promise<void> {
    this.#calls = new Map();
    const arriving: Promise<Write | undefined>[] = [];
    this.#made.forEach((made, place) => {
      if ('error' in made) return;
      arriving.push(
        new Promise((arrive) => {
          const effect: TransactionEffect = {
            kind: 'postgres',
            content: client,
            write: (completion) => new Promise((answer) => arrive({ place, completion, answer })),
          };
          const call = (this.#transactions[place] as AttemptTransaction).complete(effect, made.result).then(
            () => undefined,
            (error: unknown) => error as Error,
          );
          this.#calls.set(place, call);
          void call.then(() => arrive(undefined));
        }),
      );
    });
    const writes = await Promise.all(arriving);
    this.#writes = writes.filter((write) => write !== undefined);
    const arrived = new Set(this.#writes.map(({ place }) => place));
    const others = [...this.#calls.keys()].filter((place) => !arrived.has(place));
    await this.#noteErrors(others);
  }

  /** Sends all completions in one statement, and returns those that were not written. */
  async #write(client: Client): Promise<readonly Write[]> {
    if (this.#writes.length === 0) return [];
    const { table, now } = this.#table;
    const json = completionsAsJson(this.#writes.map(({ completion }) => completion));
    const rows = await this.#query(client, completeText(table, now()), [json, this.#id]);
    const written = new Set(rows.map((row) => (row as { readonly key?: unknown }).key));
    const missing = this.#writes.filter(({ completion }) => !written.has(storedKey(completion.key)));
    if (missing.length > 0 && (await this.#idOf(client, true)) !== this.#id) throw notInTransaction();
    return missing;
  }

  async #idOf(client: Client, isAskedAgain = false): Promise<string> {
    if (this.#adapter.idOf !== undefined && !isAskedAgain) return this.#adapter.idOf(client);
    const [row] = await this.#query(client, TRANSACTION_ID, []);
    return String((row as { readonly id?: unknown } | undefined)?.id);
  }

  #query(client: Client, text: string, values: readonly string[]): Promise<readonly unknown[]> {
    const limits = { query: { ms: TRANSACTION_STATEMENT_MS } };
    const limited = bounded(this.#adapter, limits, (_why, limitMs) => silent(limitMs), this.#table.clock);
    return limited.query(client, text, values);
  }

  /** Ends a run that was rolled back. */
  async #endOfRollback(error: unknown): Promise<RunEnd> {
    let reason = this.#reasonOf(error);
    try {
      if (this.#missing.length > 0) {
        const { isCommitted, lost } = await outcomeByRows(this.#missing, this.#table);
        // An earlier run was committed, but the adapter did not get the answer.
        if (isCommitted) return await this.#endOfCommitted();
        if (lost.length < this.#missing.length) reason = otherDatabase(this.#table.tableName);
        await this.#tellLost(lost);
      }
    } catch (thrown) {
      reason = thrown;
    }
    // Nobody has a result, so that nothing was to be written.
    if (this.#phase === 'complete' && this.#made.every((made) => 'error' in made))
      return { status: 'done', made: this.#made };
    const isOwn = this.#phase !== 'work';
    return this.#endWithout(reason, isOwn ? mayRunAgainAfterOwn(error) : mayRunAgain(error));
  }

  /** Reads the outcome from the rows after a COMMIT that failed or was not answered. */
  async #endOfCommit(error: unknown): Promise<RunEnd> {
    const reason = asError(this.#reasonOf(error));
    let outcome: TransactionOutcome<Write>;
    try {
      outcome = await outcomeByRows(this.#writes, this.#table);
    } catch {
      await this.#answer({ error: reason });
      return { status: 'failed', error: reason, mayRunAgain: false };
    }
    if (outcome.isCommitted) return this.#endOfCommitted();
    await this.#tellLost(outcome.lost);
    return this.#endWithout(reason, mayRunAgainAfterOwn(error));
  }

  /** Ends a run that wrote nothing. */
  async #endWithout(reason: unknown, isRepeatable: boolean): Promise<RunEnd> {
    await this.#answer({ refused: asError(reason) });
    if (this.#errors.size > 0) return { status: 'without', errors: this.#errors };
    return { status: 'failed', error: reason, mayRunAgain: isRepeatable };
  }

  async #tellLost(lost: readonly Write[]): Promise<void> {
    for (const { answer } of lost) answer('lost');
    await this.#noteErrors(lost.map(({ place }) => place));
  }

  async #noteErrors(places: readonly number[]): Promise<void> {
    for (const place of places) {
      const error = await this.#calls.get(place);
      if (error !== undefined) this.#errors.set(place, error);
    }
  }

  /** Answers all open completions, and waits until their attempts have the answer. */
  async #answer(outcome: CommitOutcome): Promise<void> {
    for (const { answer } of this.#writes) answer(outcome);
    await Promise.all(this.#calls.values());
  }

  /** Returns errors of the function unchanged, and those of the store's statements as a `StoreError`. */
  #reasonOf(error: unknown): unknown {
    const isForeign = this.#phase === 'work' || (this.#phase === 'begin' && this.#adapter.idOf === undefined);
    if (isForeign || error instanceof BatchlatchError) return error;
    const { tableName } = this.#table;
    return toStoreError(innermost(error), { tableName, privileges: ['SELECT', 'UPDATE'] });
  }
}

/** For the COMMIT or ROLLBACK: longer than the limit of a statement, which also closes its connection. */
const LONGEST_END_MS = TRANSACTION_STATEMENT_MS + 500;
/** For the wait for a connection, and the BEGIN. */
const LONGEST_BEGIN_MS = 2 * TRANSACTION_STATEMENT_MS + 500;
