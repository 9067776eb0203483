import { CompletionNotStoredError } from '../attempts/errors.ts';
import { hostOf } from '../attempts/host.ts';
import { startHeartbeat } from '../attempts/running.ts';
import { StoreError } from '../base/errors.ts';
import { waitAtMost } from '../base/clock.ts';
import { whenAborted } from '../base/stop.ts';
import { Claiming } from './claiming.ts';
import { ClaimsAhead } from './claims-ahead.ts';
import type { Entry } from './entry.ts';
import { Ordering } from './ordering.ts';
import { isAcknowledged } from './outcomes.ts';
import type { Handler } from './policy.ts';
import { RecordRunner } from './record-runner.ts';
import type { InvocationScope } from './invocation-scope.ts';

/** How long the answer waits for claims to be given back; what is left then is tried again in the next invocation. */
const GIVE_BACK_MS = 1_000;

/**
 * Runs one batch: `Ordering` says what runs when, `RecordRunner` claims, runs and settles each record. What does not get
 * to the end of that stays without an acknowledging outcome and comes back.
 *
 * At each `await` the process may die, the lease may lapse or an answer may be lost. Nothing is held in
 * memory that the claims table does not say better: what was claimed lapses, what was settled stays.
 */
export class Invocation {
  readonly #scope: InvocationScope;
  readonly #claims: ClaimsAhead;
  readonly #runner: RecordRunner;
  readonly #ordering: Ordering;

  constructor(handler: Handler, scope: InvocationScope) {
    const claiming = new Claiming(scope);
    this.#scope = scope;
    // What runs alone is claimed in its turn, so that a death is that of one record.
    const isAlone = hostOf(scope.lambda)?.isAlone === true;
    this.#claims = new ClaimsAhead(isAlone ? [] : scope.entries.filter(isClaimedAhead), claiming);
    this.#runner = new RecordRunner(handler, scope, claiming, this.#claims, () => this.#ordering.admit());
    this.#ordering = new Ordering(scope, this.#runner, (head) => this.#mayStart(head));
  }

  /** Resolves when every record has its outcome or the time is over, whichever comes first. */
  async run(): Promise<void> {
    const { deadline, renewal, running, policies } = this.#scope;
    if (deadline.stop.aborted) this.#stop(); // decoding took all the time there was
    else deadline.stop.addEventListener('abort', () => this.#stop(), { once: true });
    const onBeat = (): Promise<unknown> =>
      Promise.all(policies.map(async (policy) => policy.onBeat?.(this.#scope)));
    const heartbeat = renewal && startHeartbeat(running, this.#scope, onBeat);
    const all = async (): Promise<void> => {
      this.#claims.start();
      await this.#ordering.run();
      await heartbeat?.stop();
      await this.#handBackRest();
    };
    try {
      await Promise.race([all(), whenAborted(deadline.answerNow)]);
    } finally {
      void heartbeat?.stop();
    }
  }

  /** What is not acknowledged by now is handed back; the queue may be told when to show it again. */
  async #handBackRest(): Promise<void> {
    const { unstarted, clock, policies, entries } = this.#scope;
    const givingBack = unstarted.giveBack();
    if (unstarted.hasAny) await waitAtMost(clock, GIVE_BACK_MS, givingBack); // not for those of others that overlap
    const host = hostOf(this.#scope.lambda);
    if (host !== undefined) {
      const failed = entries.filter(({ outcome }) => outcome?.status === 'failed');
      const others = failed.filter((entry) => !isOfStore(entry));
      const handedBack = entries.filter(({ outcome }) => !isAcknowledged(outcome));
      const kept = await host.beforeHandBack({
        storeFailed: others.length < failed.length,
        errors: others.map(errorOf),
        handedBack: handedBack.map(idOf),
        suspects: new Map(handedBack.filter(isSuspect).map((entry) => [idOf(entry), entry.deaths])),
        conflicts: new Map(
          handedBack.flatMap((entry) =>
            entry.outcome?.status === 'conflict' ? [[idOf(entry), entry.outcome.leaseUntil]] : [],
          ),
        ),
      });
      for (const entry of handedBack) entry.isKeptByHost = kept.has(idOf(entry));
    }
    for (const policy of policies) await policy.beforeResponse?.(this.#scope);
  }

  /** A lane starts when its head's claim has been asked for; claims are, like lanes, in the batch's order. */
  #mayStart(head: Entry): boolean {
    return !isClaimedAhead(head) || this.#scope.deadline.stop.aborted || this.#claims.isRequested(head);
  }

  #stop(): void {
    this.#claims.stop();
    this.#ordering.admit();
    this.#runner.stop();
  }
}

/** Whether its claim is asked for ahead of its turn: not where an earlier entry has the same key. */
function isClaimedAhead({ leader, behind, outcome }: Entry): boolean {
  return leader === undefined && behind === undefined && outcome === undefined;
}

function idOf({ itemIdentifier = '' }: Entry): string {
  return itemIdentifier;
}

function isSuspect({ outcome }: Entry): boolean {
  return outcome?.status === 'not-started' && outcome.reason === 'suspect';
}

function errorOf({ outcome }: Entry): unknown {
  return outcome?.status === 'failed' ? outcome.error : undefined;
}

/** Whether it is the claim store's fault that it comes again. */
function isOfStore({ outcome }: Entry): boolean {
  if (outcome?.status !== 'failed') return false;
  const { error } = outcome;
  return (error instanceof StoreError && error.isRetryable) || error instanceof CompletionNotStoredError;
}
