import { recordsStarts } from '../attempts/starts.ts';
import { countsDeaths } from '../attempts/rules.ts';
import { DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import type { Claiming } from './claiming.ts';
import type { ClaimAnswer, Entry } from './entry.ts';

const NOT_REQUESTED: ClaimAnswer = { status: 'not-requested' };

/**
 * Acquires claims in the batch's order and in request-sized groups, far enough ahead that `concurrency` handlers stay
 * busy: while fewer than twice as many are claimed and unfinished, the next group is asked for. Not further: a claim
 * that waits for its turn uses up its lease. A store whose requests take more than 25 is asked for that many only where
 * leases last as long as the invocation.
 */
export class ClaimsAhead {
  readonly #entries: readonly Entry[];
  readonly #claiming: Claiming;
  /** While fewer claims than this are unfinished, more are asked for. */
  readonly #ahead: number;
  readonly #requestSize: number;
  /** All that a request takes may be claimed at once: no lease lapses before the invocation ends, however long it waits. */
  readonly #lastsToTheEnd: boolean;
  /** No group goes beyond `ahead` if a claim that never starts could be mistaken for a crash. */
  readonly #isStrict: boolean;
  readonly #waiting = new Map<Entry, (answer: ClaimAnswer | Promise<ClaimAnswer>) => void>();
  #unfinished = 0;
  #next = 0;
  #isStopped = false;

  constructor(entries: readonly Entry[], claiming: Claiming) {
    const { settings, rules, store, leaseMs, deadline } = claiming.scope;
    this.#entries = entries;
    this.#claiming = claiming;
    this.#isStrict = countsDeaths(rules) && !recordsStarts(claiming.scope);
    this.#ahead = this.#isStrict ? settings.concurrency : 2 * settings.concurrency;
    this.#requestSize = store.requestSize ?? DEFAULT_REQUEST_SIZE;
    this.#lastsToTheEnd = leaseMs() >= deadline.remainingTimeMs();
  }

  /** Asks for the first claims. */
  start(): void {
    while (!this.#isStopped && this.#next < this.#entries.length && this.#unfinished < this.#ahead) {
      this.#requestGroup();
    }
  }

  /** The answer for one entry, when it is there; to be asked for once. */
  claimOf(entry: Entry): Promise<ClaimAnswer> {
    const { claimAnswer } = entry;
    if (claimAnswer !== undefined) {
      entry.claimAnswer = undefined; // of thousands of records few are held at a time
      return claimAnswer;
    }
    if (this.#isStopped || entry.claimRequest === 'withdrawn') return Promise.resolve(NOT_REQUESTED);
    return new Promise((resolve) => this.#waiting.set(entry, resolve));
  }

  /** Whether the entry's claim has been asked for. */
  isRequested(entry: Entry): boolean {
    return entry.claimRequest === 'requested';
  }

  /** The answer for one entry, once, if it has been asked for; else nothing will be asked for it any more. */
  withdraw(entry: Entry): Promise<ClaimAnswer> {
    const answer = entry.claimAnswer ?? Promise.resolve(NOT_REQUESTED);
    entry.claimAnswer = undefined; // a claim that is returned here is given back once
    entry.claimRequest = 'withdrawn';
    return answer;
  }

  /** A claimed entry has ended or does not need its claim: there is room for more. */
  noteEnded(entry: Entry): void {
    if (!entry.isClaimUnfinished) return;
    entry.isClaimUnfinished = false;
    this.#unfinished -= 1;
    this.start();
  }

  /** Asks for nothing more; entries that still wait learn that nothing was requested for them. */
  stop(): void {
    this.#isStopped = true;
    for (const resolve of this.#waiting.values()) resolve(NOT_REQUESTED);
    this.#waiting.clear();
  }

  #requestGroup(): void {
    const group: Entry[] = [];
    const most = Math.min(this.#requestSize, this.#mostOfAGroup());
    while (group.length < most && this.#next < this.#entries.length) {
      const entry = this.#entries[this.#next] as Entry;
      this.#next += 1;
      if (entry.claimRequest !== 'withdrawn') group.push(entry);
    }
    if (group.length === 0) return;
    const answers = this.#claiming.ask(group);
    group.forEach((entry, index) => this.#note(entry, answers[index] as Promise<ClaimAnswer>));
  }

  #mostOfAGroup(): number {
    const room = this.#ahead - this.#unfinished;
    if (this.#isStrict) return room;
    return this.#lastsToTheEnd ? this.#requestSize : Math.max(DEFAULT_REQUEST_SIZE, room);
  }

  #note(entry: Entry, answer: Promise<ClaimAnswer>): void {
    entry.claimRequest = 'requested';
    entry.isClaimUnfinished = true;
    this.#unfinished += 1;
    const resolve = this.#waiting.get(entry);
    if (resolve === undefined) {
      entry.claimAnswer = answer;
      return;
    }
    this.#waiting.delete(entry);
    resolve(answer);
  }
}
