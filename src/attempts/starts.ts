import type { SettleOutcome } from '../claims/claim-store.ts';
import type { Attempt } from './attempt.ts';
import { ensureLeases, isShort } from './lease.ts';
import { countsDeaths } from './rules.ts';
import type { AttemptClaims, AttemptScope } from './scope.ts';

interface Waiting {
  readonly attempt: Attempt;
  readonly resolve: (mayStart: boolean) => void;
}

/**
 * What comes before a handler starts: the row says that it does, where deaths count, and its lease is long enough.
 * Starts are written one for each attempt: what comes while a request is on its way goes together in the next.
 */
export class Starts {
  readonly #scope: AttemptScope;
  readonly #isRecording: boolean;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(scope: AttemptScope) {
    this.#scope = scope;
    this.#isRecording = recordsStarts(scope.claims);
  }

  /** Whether it may start at once, as most may: it has no claim, or nothing is to be written and its lease is long enough. */
  isReady(attempt: Attempt): boolean {
    if (!attempt.hasClaim) return true;
    if (this.#isRecording) return false;
    const { clock, deadline } = this.#scope.time;
    // A process that stood still may be past both.
    const lastsToTheEnd = attempt.leaseUntil >= deadline.endsAt && attempt.leaseUntil > clock.now();
    return lastsToTheEnd || !isShort(attempt);
  }

  /** Those of the attempts that may start, because their claims are still their own. Never rejects. */
  async ready(attempts: readonly Attempt[]): Promise<ReadonlySet<Attempt>> {
    // The start first: writing it takes time, and the lease has to be live after it.
    const areRecorded = this.#isRecording
      ? await Promise.all(attempts.map((attempt) => this.#record(attempt)))
      : undefined;
    const recorded = attempts.filter((_, index) => areRecorded?.[index] !== false);
    const areLive = await ensureLeases(recorded, this.#scope);
    const isStopped = this.#scope.time.deadline.stop.aborted;
    return new Set(isStopped ? [] : recorded.filter((_, index) => areLive[index] === true));
  }

  #record(attempt: Attempt): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push({ attempt, resolve });
      if (this.#isWriting) return;
      this.#isWriting = true;
      queueMicrotask(() => void this.#write()); // so that those which start at the same moment go with it
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const outcomes = await this.#outcomesOf(group);
      group.forEach(({ resolve }, index) => resolve(outcomes[index] === 'stored'));
    }
    this.#isWriting = false;
  }

  async #outcomesOf(group: readonly Waiting[]): Promise<SettleOutcome[]> {
    const {
      claims: { store },
      time: { deadline },
    } = this.#scope;
    // Not waited for, and not written, for what may not start: its claim has to be given back before the answer leaves.
    if (deadline.stop.aborted) return [];
    const claims = group.map(({ attempt: { key, owner } }) => ({ key, owner }));
    try {
      return (await store.start?.(claims, { signal: deadline.stop })) ?? [];
    } catch {
      return []; // what is not known to be written must not start
    }
  }
}

/** Whether claims are to be made with `recordsStart`. */
export function recordsStarts({ store, rules }: Pick<AttemptClaims, 'store' | 'rules'>): boolean {
  return countsDeaths(rules) && store.start !== undefined;
}
