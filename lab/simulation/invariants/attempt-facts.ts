import type { ATTEMPT } from '../../../src/claims/attempt-handle.ts';
import type { RecordContext } from '../../../src/batch/record-handler.ts';
import type { CallContext } from '../../../src/functions/call-context.ts';
import type { ClaimRequest, LeaseExtension, Settlement } from '../../../src/claims/claim-store.ts';
import type { Invocation } from '../queue/invocation.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { Effect } from './effect.ts';

/** What has been asked of a store, and when by the asking process's own clock. */
export interface Asked<What> {
  readonly what: What;
  readonly ownTime: number;
}

/** All that is known of one owner token: who asked for a claim with it, and what it did with the claim. */
export interface AttemptFacts {
  readonly owner: string;
  readonly process: SimProcess;
  readonly invocation: Invocation | undefined;
  readonly request: Asked<ClaimRequest>;
  /** What the process has been told of its acquire, and in which step. */
  told: { readonly attempt: number; readonly crashes: number; readonly step: number } | undefined;
  readonly settlements: Asked<Settlement>[];
  readonly extensions: Asked<LeaseExtension>[];
  /** Settlements that have been asked and answered, with whatever answer. */
  settlesAnswered: number;
  /** How many settlements had been asked for when the store said that the result was too large for the row. */
  tooLargeAfter: number | undefined;
  run: HandlerRun | undefined;
  /** What its handler was told of what it committed, in order; the last may still be open. */
  readonly commits: {
    readonly effect: Effect;
    told: 'stored' | 'lost' | 'refused' | 'unknown' | undefined;
    /** Whether the answer came while somebody waited for it. */
    isHeard: boolean;
  }[];
}

/** What handlers of records, of batches, and idempotent functions have in common of their contexts. */
export type RunContext = Omit<CallContext, 'done'> &
  Partial<Pick<CallContext, 'done'>> &
  Pick<RecordContext, typeof ATTEMPT>;

/** One run of the handler. */
export interface HandlerRun {
  readonly facts: AttemptFacts;
  readonly key: string;
  readonly recordId: string;
  readonly attempt: number;
  /** The attempt's own context: what it has been told of its lease. */
  readonly context: RunContext;
  end: 'returned' | 'threw' | 'stopped' | undefined;
  /** It saw its signal and stopped, with a part of its work undone. */
  isBrokenOff: boolean;
  /** It has said that its work is done, whatever its signal says. */
  saidDone: boolean;
  /** The batch went on without it. */
  isAbandoned: boolean;
  /** Its effect and its completion are stored: nothing is left that another attempt could disturb. */
  isCommitted: boolean;
}

/**
 * Until when a run is live, in true time: its handler has started and has not ended, its process lives, and
 * the lease it has been told of is not over by its process's own clock.
 */
export function liveUntil(run: HandlerRun): number {
  const { process } = run.facts;
  if (run.end !== undefined || run.isCommitted || process.isDead) return -Infinity;
  return run.context.leaseUntil - process.offsetMs;
}

/** Every owner token there has been. */
export class AttemptRegistry {
  readonly #byOwner = new Map<string, AttemptFacts>();
  readonly #latest = new Map<SimProcess, Invocation>();
  readonly #byRequestId = new Map<string, Invocation>();

  /** From now on, what the process asks for is for this invocation, unless it names another. */
  begin(invocation: Invocation): void {
    this.#latest.set(invocation.process, invocation);
    this.#byRequestId.set(invocation.id, invocation);
  }

  /** The invocation that a request is made for: the row is to name it; without that, it is the process's latest. */
  invocationOf(process: SimProcess, { lockedBy }: ClaimRequest): Invocation | undefined {
    return this.invocationNamed(process, lockedBy?.split(' ').at(-1));
  }

  /** The invocation with this id; without one, the process's latest. */
  invocationNamed(process: SimProcess, requestId = ''): Invocation | undefined {
    return this.#byRequestId.get(requestId) ?? this.#latest.get(process);
  }

  register(process: SimProcess, request: ClaimRequest): void {
    this.#byOwner.set(request.owner, {
      owner: request.owner,
      process,
      invocation: this.invocationOf(process, request),
      request: { what: request, ownTime: process.now() },
      told: undefined,
      settlements: [],
      extensions: [],
      settlesAnswered: 0,
      tooLargeAfter: undefined,
      run: undefined,
      commits: [],
    });
  }

  get(owner: string): AttemptFacts | undefined {
    return this.#byOwner.get(owner);
  }

  all(): Iterable<AttemptFacts> {
    return this.#byOwner.values();
  }
}
