import type { Context } from 'aws-lambda';
import type { Deadline } from '../attempts/deadline.ts';
import { defaultLeaseMs, SHORT_LEASE_MS } from '../attempts/default-lease.ts';
import type { RenewalOptions } from '../attempts/scope.ts';
import { Starts } from '../attempts/starts.ts';
import { notedHere, type UnstartedClaims, unstartedClaims } from '../attempts/unstarted-claims.ts';
import { createAcquireQueue } from '../claims/acquire-queue.ts';
import { createSettlementQueue } from '../claims/settlement-queue.ts';
import type { BatchEvent, ObservedInvocation, Observer, SettlingEnd } from '../observe/observer.ts';
import type { SourceBatch } from '../sources/source.ts';
import type { Policy } from './policy.ts';
import type { Ports } from './ports.ts';
import { recordEndings } from './record-endings.ts';
import type { InvocationScope } from './invocation-scope.ts';
import type { Settings } from './settings.ts';

/** What the invocations of one processor share, and what each of them has of its own. */
export interface Scopes {
  readonly unstarted: UnstartedClaims;
  create(invocation: {
    readonly lambda: Context | undefined;
    readonly deadline: Deadline;
    readonly batch: SourceBatch;
  }): {
    readonly scope: InvocationScope;
    /** To be called when the invocation is over. */
    readonly leave: () => void;
  };
}

export function createScopes(settings: Settings, policies: readonly Policy[], ports: Ports): Scopes {
  const { store, clock, random } = ports;
  const { settleLingerMs: lingerMs } = settings;
  const runsWithoutClaim = policies.some(({ onClaimError }) => onClaimError !== undefined);
  const unstarted = unstartedClaims(store);
  const settlementQueue = createSettlementQueue<SettlingEnd>({ store, clock, random, lingerMs });
  const acquireQueue = createAcquireQueue({ store, clock, lingerMs });
  const endingOf = recordEndings(settings.retryable, store.maxResultBytes);

  return {
    unstarted,
    create({ lambda, deadline, batch }) {
      const activity = { busy: 0 };
      const notify = harmless(ports.observer, invocationOf(lambda));
      const signal = deadline.answerNow;
      const acquires = acquireQueue.join({ isBusy: () => false, signal });
      const settlements = settlementQueue.join({
        isBusy: () => activity.busy > 0,
        signal,
        onWrite: (ends) => notify({ type: 'settling', ends }),
      });
      const { comesAgainSoon = false } = batch;
      const scope: Omit<InvocationScope, 'starts'> = {
        ...ports,
        notify,
        settings,
        policies,
        rules: settings,
        lambda,
        deadline,
        unstarted: notedHere(unstarted),
        acquires,
        settlements,
        endingOf,
        runsWithoutClaim,
        activity,
        timeoutMs: settings.recordTimeoutMs,
        leaseMs: () => settings.leaseMs ?? leaseMsOf(deadline, comesAgainSoon),
        renewal: renewalOf(policies, comesAgainSoon),
        entries: [],
        running: new Map(),
      };
      return {
        scope: Object.assign(scope, { starts: new Starts(scope) }),
        leave() {
          acquires.leave();
          settlements.leave();
        },
      };
    },
  };
}

function leaseMsOf(deadline: Deadline, comesAgainSoon: boolean): number {
  const leaseMs = defaultLeaseMs(deadline.remainingTimeMs());
  return comesAgainSoon ? Math.min(leaseMs, SHORT_LEASE_MS) : leaseMs;
}

function renewalOf(policies: readonly Policy[], comesAgainSoon: boolean): RenewalOptions | undefined {
  const policy = policies.find(({ renewal }) => renewal !== undefined);
  return policy?.renewal ?? (comesAgainSoon ? {} : undefined);
}

function invocationOf(lambda: Context | undefined): ObservedInvocation {
  return lambda?.awsRequestId === undefined ? {} : { requestId: lambda.awsRequestId };
}

/** A broken observer must not harm a record. */
function harmless(observer: Observer, invocation: ObservedInvocation): (event: BatchEvent) => void {
  return (event) => {
    try {
      // An asynchronous observer fits the type too, and its rejection, unheard, would end the process.
      const returned: unknown = observer.onEvent(event, invocation);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // An error of the observer must not change what happens.
    }
  };
}
