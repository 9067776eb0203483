import { recordsStarts } from '../attempts/starts.ts';
import { countsDeaths } from '../attempts/rules.ts';
import { DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import type { Claiming } from './claiming.ts';
import type { ClaimAnswer, Entry } from './entry.ts';

const NOT_REQUESTED: ClaimAnswer = { status: 'not-requested' };

/**
 * Acquires claims in the batch's order and in request-sized groups, far enough ahead that `concurrency` handlers stay
 * busy: while fewer than twice as many are claimed and unfinished, the next group is asked for. Not further: a claim
 * that waits for its turn uses up its lease.
 */
export class ClaimsAhead {
  readonly #entries: readonly Entry[];
  readonly #claiming: Claiming;
  /** While fewer claims than this are unfinished, more are asked for. */
  readonly #ahead: number;
  readonly #requestSize: number;
  /** No group goes beyond `ahead` if a claim that never starts could be mistaken for a crash. */
  readonly #isStrict: boolean;
  /** The answers, until they are asked for: of thousands of records few are held at a time. */
  readonly #requested = new Map<Entry, Promise<ClaimAnswer> | undefined>();
  readonly #waiting = new Map<Entry, (answer: ClaimAnswer | Promise<ClaimAnswer>) => void>();
  readonly #withdrawn = new Set<Entry>();
  readonly #unfinished = new Set<Entry>();
  #next = 0;
  #isStopped = false;

  constructor(entries: readonly Entry[], claiming: Claiming) {
    const { settings, rules, store } = claiming.scope;
    this.#entries = entries;
    this.#claiming = claiming;
    this.#isStrict = countsDeaths(rules) && !recordsStarts(claiming.scope);
    this.#ahead = this.#isStrict ? settings.concurrency : 2 * settings.concurrency;
    this.#requestSize = store.requestSize ?? DEFAULT_REQUEST_SIZE;
  }

  /** Asks for the first claims. */
  start(): void {
    while (!this.#isStopped && this.#next < this.#entries.length && this.#unfinished.size < this.#ahead) {
      this.#requestGroup();
    }
  }

  /** The answer for one entry, when it is there; to be asked for once. */
  claimOf(entry: Entry): Promise<ClaimAnswer> {
    const answer = this.#requested.get(entry);
    if (answer !== undefined) {
      this.#requested.set(entry, undefined);
      return answer;
    }
    if (this.#isStopped || this.#withdrawn.has(entry)) return Promise.resolve(NOT_REQUESTED);
    return new Promise((resolve) => this.#waiting.set(entry, resolve));
  }

  /** Whether the entry's claim has been asked for. */
  isRequested(entry: Entry): boolean {
    return this.#requested.has(entry);
  }

  /** The answer for one entry, once, if it has been asked for; else nothing will be asked for it any more. */
  withdraw(entry: Entry): Promise<ClaimAnswer> {
    const answer = this.#requested.get(entry) ?? Promise.resolve(NOT_REQUESTED);
    this.#requested.delete(entry); // a claim that is returned here is given back once
    this.#withdrawn.add(entry);
    return answer;
  }

  /** A claimed entry has ended or does not need its claim: there is room for more. */
  noteEnded(entry: Entry): void {
    if (this.#unfinished.delete(entry)) this.start();
  }

  /** Asks for nothing more; entries that still wait learn that nothing was requested for them. */
  stop(): void {
    this.#isStopped = true;
    for (const resolve of this.#waiting.values()) resolve(NOT_REQUESTED);
    this.#waiting.clear();
  }

  #requestGroup(): void {
    const group: Entry[] = [];
    const most = this.#isStrict
      ? Math.min(this.#requestSize, this.#ahead - this.#unfinished.size)
      : this.#requestSize;
    while (group.length < most && this.#next < this.#entries.length) {
      const entry = this.#entries[this.#next] as Entry;
      this.#next += 1;
      if (!this.#withdrawn.has(entry)) group.push(entry);
    }
    if (group.length === 0) return;
    const answers = this.#claiming.ask(group);
    group.forEach((entry, index) => {
      const answer = answers[index] as Promise<ClaimAnswer>;
      this.#unfinished.add(entry);
      const resolve = this.#waiting.get(entry);
      this.#requested.set(entry, resolve === undefined ? answer : undefined);
      resolve?.(answer);
      this.#waiting.delete(entry);
    });
  }
}
