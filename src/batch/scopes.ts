import { type Host, hostOf } from '../attempts/host.ts';
import type { Context } from 'aws-lambda';
import type { Deadline } from '../attempts/deadline.ts';
import { defaultLeaseMs, SHORT_LEASE_MS } from '../attempts/default-lease.ts';
import type { RenewalOptions } from '../attempts/scope.ts';
import { Starts } from '../attempts/starts.ts';
import { notedHere, type UnstartedClaims, unstartedClaims } from '../attempts/unstarted-claims.ts';
import { createAcquireQueue } from '../claims/acquire-queue.ts';
import { createSettlementQueue, type Settlements } from '../claims/settlement-queue.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import type { SourceBatch } from '../sources/source.ts';
import type { Entry } from './entry.ts';
import { observedInvocation } from './observed-invocation.ts';
import { observing } from './observing.ts';
import type { Policy } from './policy.ts';
import type { Ports } from './ports.ts';
import { recordEndings } from './record-endings.ts';
import type { InvocationScope } from './invocation-scope.ts';
import type { Settings } from './settings.ts';
import { StuckHandlers } from './run-watch.ts';

/** What the invocations of one processor share, and what each of them has of its own. */
export interface Scopes {
  readonly unstarted: UnstartedClaims;
  create(invocation: {
    readonly lambda: Context | undefined;
    readonly deadline: Deadline;
    readonly batch: SourceBatch;
  }): {
    readonly scope: InvocationScope;
    /** Calls `run` in the context that the observer gives the invocation. */
    readonly inside: (run: () => void) => void;
    /** To be called when the invocation is over. */
    readonly leave: () => void;
  };
}

export function createScopes(
  settings: Settings,
  policies: readonly Policy[],
  ports: Ports,
  functionName: string | undefined,
): Scopes {
  const { store, clock, random, sqs } = ports;
  const { settleLingerMs: lingerMs } = settings;
  const runsWithoutClaim = policies.some(({ onClaimError }) => onClaimError !== undefined);
  const unstarted = unstartedClaims(store);
  const settlementQueue = createSettlementQueue<SettlingEnd>({
    store,
    clock,
    random,
    lingerMs,
    recordIdOf: ({ recordId }) => recordId,
  });
  const acquireQueue = createAcquireQueue({ store, clock, lingerMs });
  const endingOf = recordEndings(settings.retryable, store.maxResultBytes);

  return {
    unstarted,
    create({ lambda, deadline, batch }) {
      const activity = { busy: 0 };
      const entries: Entry[] = [];
      const observed = observing(
        ports.observer,
        observedInvocation({ lambda, functionName, batch }, entries),
      );
      const { notify } = observed;
      const stuckHandlers = new StuckHandlers();
      const signal = deadline.answerNow;
      const host = hostOf(lambda);
      // A caller that says nothing of its time, such as a test, does not wait for as long as a lease.
      const isBounded = host !== undefined || deadline.endsAt !== Infinity;
      const acquires = acquireQueue.join({ isBusy: () => false, signal, around: observed.aroundRequest });
      const settlements = settlementQueue.join({
        isBusy: () => activity.busy > 0,
        signal,
        around: observed.aroundRequest,
        onWrite: (ends) => notify({ type: 'settling', ends }),
        ...(isBounded && { stopsAt: () => deadline.stopsAt }),
        onUnreachable: (error) => notify({ type: 'settleDelayed', error }),
      });
      // Off Lambda an invocation has no end that a lease could last to, and a message comes back as soon as it is no longer hidden.
      const comesAgainSoon = batch.comesAgainSoon === true || host !== undefined;
      const longestLeaseMs = host?.longestLeaseMs ?? Infinity;
      // Every member by its name: an object that is spread together takes longer than a record.
      const scope: Omit<InvocationScope, 'starts'> & { starts: Starts | undefined } = {
        store,
        clock,
        random,
        sqs,
        newOwner: ownersOf(ports.newOwner()),
        notify,
        noteOutcome: observed.noteOutcome,
        around: observed.around,
        settings,
        policies,
        rules: settings,
        lambda,
        remainingTimeMs: () => deadline.remainingTimeMs(),
        deadline,
        unstarted: notedHere(unstarted),
        acquires:
          host === undefined
            ? acquires
            : { ...acquires, add: (...asked) => watched(host, acquires.add(...asked)) },
        settlements: host === undefined ? settlements : watchedSettlements(host, settlements),
        endingOf,
        runsWithoutClaim,
        activity,
        timeoutMs: settings.recordTimeoutMs,
        leaseMs: () => settings.leaseMs ?? Math.min(leaseMsOf(deadline, comesAgainSoon), longestLeaseMs),
        renewal: renewalOf(policies, comesAgainSoon),
        entries,
        running: new Map(),
        stuckHandlers,
        starts: undefined,
      };
      scope.starts = new Starts(scope);
      return {
        scope: scope as InvocationScope,
        inside: observed.inside,
        leave() {
          acquires.leave();
          settlements.leave();
          stuckHandlers.leave();
        },
      };
    },
  };
}

function watched<Answer>({ noteAsked }: Host, asked: Promise<Answer>[]): Promise<Answer>[] {
  for (const answer of asked) noteAsked(answer);
  return asked;
}

function watchedSettlements<Note>(host: Host, settlements: Settlements<Note>): Settlements<Note> {
  return {
    ...settlements,
    settle(...asked) {
      const answer = settlements.settle(...asked);
      host.noteAsked(answer);
      return answer;
    },
  };
}

/** Tokens for the attempts of one invocation: one that no other has, and a number. */
function ownersOf(invocation: string): () => string {
  let owners = 0;
  return () => `${invocation}-${(owners += 1)}`;
}

function leaseMsOf(deadline: Deadline, comesAgainSoon: boolean): number {
  const leaseMs = defaultLeaseMs(deadline.remainingTimeMs());
  return comesAgainSoon ? Math.min(leaseMs, SHORT_LEASE_MS) : leaseMs;
}

function renewalOf(policies: readonly Policy[], comesAgainSoon: boolean): RenewalOptions | undefined {
  const policy = policies.find(({ renewal }) => renewal !== undefined);
  return policy?.renewal ?? (comesAgainSoon ? {} : undefined);
}
