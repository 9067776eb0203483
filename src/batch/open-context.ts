import type { Context } from 'aws-lambda';
import type { Deadline } from '../attempts/deadline.ts';
import { defaultLeaseMs, SHORT_LEASE_MS } from '../attempts/lease.ts';
import type { EndingOf } from '../attempts/ending.ts';
import { type Host, watchedAcquires, watchedSettlements } from '../attempts/host.ts';
import { Running } from '../attempts/running.ts';
import type { AttemptTime, SettlingAttempt } from '../attempts/scope.ts';
import { StuckHandlers } from '../attempts/stuck-handlers.ts';
import { notedHere, type UnstartedClaims } from '../attempts/unstarted-claims.ts';
import type { AcquireQueue } from '../claims/acquire-queue.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import type { SettlementQueue } from '../claims/settlement-queue.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import type { SourceBatch } from '../sources/source.ts';
import type { BatchAttempt, BatchContext, Settings } from './context.ts';
import { Ledger } from './ledger.ts';
import { Observed } from './observed-invocation.ts';
import { type Observing, observing } from './observing.ts';
import type { Ports } from './ports.ts';
import type { Handler } from './run.ts';

/** The state that the invocations of one processor share. */
export interface Processor {
  readonly handler: Handler;
  readonly settings: Settings;
  readonly ports: Ports;
  readonly functionName: string | undefined;
  /** The store as the user gave it. Processors that share a store are recognised by it. */
  readonly givenStore: ClaimStore;
  readonly acquires: AcquireQueue<BatchAttempt>;
  readonly settlements: SettlementQueue<SettlingAttempt>;
  readonly unstarted: UnstartedClaims;
  readonly endingOf: EndingOf;
}

interface Invoked {
  readonly startedAt: number;
  readonly lambda: Context | undefined;
  readonly host: Host | undefined;
  readonly deadline: Deadline;
  readonly batch: SourceBatch;
}

/** The context of an invocation, with the functions that enter and close it. */
export interface OpenContext {
  readonly context: BatchContext;
  /** Makes the answer to the sender. */
  readonly answer: SourceBatch['answer'];
  readonly ready: SourceBatch['ready'];
  /** Calls `run` in the context that the observer gives the invocation. */
  readonly inside: (run: () => void) => void;
  /** Leaves the queues and timers at the end of the invocation. */
  readonly close: () => void;
}

type Watch = BatchContext['watch'] & Observing;

/** Opens the context of an invocation and joins the queues that it shares with other invocations. */
export function openContext(processor: Processor, invoked: Invoked): OpenContext {
  const { settings, ports, functionName } = processor;
  const { lambda, host, batch } = invoked;
  const { clock, random, sqs, observer } = ports;
  const ledger = new Ledger(batch.entries);
  const observed = observing(
    observer,
    new Observed({ lambda, functionName, routing: settings.routing }, ledger),
  );
  const stuck = new StuckHandlers(clock, observed.notify);
  // Spreads come last: `docs/decisions/0067-spreads-come-last.md`.
  const watch: Watch = { stuck, fail: () => undefined, answered: () => undefined, ...observed };
  const time = timeOf(settings, ports, invoked);
  const claims = claimsOf(processor, invoked, watch);
  const running = new Running(time, ledger.attempts);
  return {
    context: { settings, lambda, host, sqs, random, ledger, time, running, watch, claims },
    answer: batch.answer,
    ready: batch.ready,
    inside: observed.inside,
    close() {
      claims.acquires.leave();
      claims.settlements.leave();
      running.leave();
      stuck.leave();
    },
  };
}

/** Returns the store and the invocation's memberships in the queues before it. */
function claimsOf(processor: Processor, { host, deadline }: Invoked, watch: Watch): BatchContext['claims'] {
  const { wants, notify, aroundRequest } = watch;
  const { settings, ports, unstarted, endingOf } = processor;
  const activity = { busy: 0 };
  const member = {
    signal: deadline.answerNow,
    around: aroundRequest,
    onError: (thrown: unknown) => watch.fail(thrown),
    onAnswered: () => watch.answered(),
  };
  const acquires = processor.acquires.join({ isBusy: () => false, ...member });
  const settlements = processor.settlements.join({
    isBusy: () => activity.busy > 0,
    onWrite: wants.settling
      ? (attempts) => notify({ type: 'settling', ends: attempts.map(settlingEnd) })
      : undefined,
    // A caller with no deadline, such as a test, must not wait for the length of a lease.
    stopsAt: host !== undefined || deadline.endsAt !== Infinity ? () => deadline.stopsAt : undefined,
    onUnreachable: (error) => notify({ type: 'settleDelayed', error }),
    ...member,
  });
  return {
    store: ports.store,
    rules: settings,
    unstarted: notedHere(unstarted),
    endingOf,
    newOwner: ownersOf(ports.newOwner()),
    activity,
    acquires: host === undefined ? acquires : watchedAcquires(acquires, host),
    settlements: host === undefined ? settlements : watchedSettlements(settlements, host),
  };
}

function timeOf(
  { recordTimeoutMs: timeoutMs, leaseMs, heartbeat }: Settings,
  { clock }: Ports,
  { startedAt, deadline, host, batch }: Omit<Invoked, 'lambda'>,
): AttemptTime {
  // Off Lambda no invocation's end bounds a lease, and messages return when their visibility ends.
  const comesAgainSoon = batch.comesAgainSoon === true || host !== undefined;
  const longestMs = Math.min(comesAgainSoon ? SHORT_LEASE_MS : Infinity, host?.longestLeaseMs ?? Infinity);
  return {
    clock,
    startedAt,
    deadline,
    remainingTimeMs: () => deadline.remainingTimeMs(),
    timeoutMs,
    leaseMs: () => leaseMs ?? Math.min(defaultLeaseMs(deadline.remainingTimeMs()), longestMs),
    renewal: heartbeat?.renewal ?? (comesAgainSoon ? {} : undefined),
  };
}

function settlingEnd({ recordId, key, owner, attempt, ending }: SettlingAttempt): SettlingEnd {
  return { recordId, key, owner, attempt, end: ending?.end ?? 'release' };
}

/** Returns a function that makes owner tokens: the invocation's unique prefix and a counter. */
function ownersOf(invocation: string): () => string {
  let owners = 0;
  // `join` makes a flat string. A store flattens a concatenated one, which keeps its parts as well.
  return () => [invocation, (owners += 1)].join('-');
}
