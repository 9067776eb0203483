import type { Context } from 'aws-lambda';
import { waitAtMost } from '../claims/clock.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { unstartedClaims } from '../claims/unstarted-claims.ts';
import type { BatchEvent, ObservedInvocation, Observer } from '../observe/observer.ts';
import { boundedSqs } from '../queues/bounded-sqs.ts';
import type { BatchResponse } from '../sources/answers.ts';
import { readPayloads } from '../sources/decode-step.ts';
import { readFrom } from '../sources/read-from.ts';
import type { SourceEntry } from '../sources/source.ts';
import { createDeadline } from './deadline.ts';
import { takeDefaultNamespace } from './default-namespaces.ts';
import { endingOf } from './endings.ts';
import type { Entry } from './entry.ts';
import { isPermanent } from './errors.ts';
import { type Handler, Invocation } from './invocation.ts';
import type { Settings } from './options.ts';
import { coalesce, planEntry } from './plan.ts';
import type { Ports } from './ports.ts';
import { ReadingMarks } from './reading-marks.ts';
import { readSuspectsFirst } from './reading-order.ts';
import { dangerOf, isSuspect } from './suspects.ts';

/** The namespace where nobody names a function: outside Lambda. */
const LOCAL_NAMESPACE = 'local';

/** How long a batch waits for the claims that an earlier one could not give back. */
const GIVE_BACK_MS = 250;

/** The pipeline, in the order it reads: source, key, then claim, run and settle, then respond. */
export function createProcessor(
  handler: Handler,
  settings: Settings,
  givenPorts: Ports,
  functionName: string | undefined,
  store: ClaimStore = givenPorts.store,
): (event: unknown, lambda?: Context) => Promise<BatchResponse | undefined> {
  const unstarted = unstartedClaims(givenPorts.store);
  const danger = dangerOf(settings);
  const self = {};
  /** Known by an id that only this queue's messages have, or by a key that says itself whose it is. */
  const hasOwnKeys =
    settings.key.isWholeKey === true ||
    (settings.key.isMessageId === true && settings.decode.every(({ kind }) => kind !== 'envelope'));
  const nameOf = (lambda: Context | undefined): string =>
    lambda?.functionName ?? functionName ?? LOCAL_NAMESPACE;
  const defaultNamespace = (lambda: Context | undefined): string => {
    const name = nameOf(lambda);
    if (!hasOwnKeys) takeDefaultNamespace(store, name, self);
    return name;
  };
  const sqs = givenPorts.sqs && boundedSqs(givenPorts.sqs, givenPorts.clock);
  return async (event, lambda) => {
    const observer = harmless(givenPorts.observer, invocationOf(lambda));
    const ports = { ...givenPorts, sqs, observer, unstarted };
    const startedAt = ports.clock.now();
    const deadline = createDeadline(lambda, settings.deadlineMarginMs, ports.clock);
    try {
      // First what an earlier invocation could not: what comes again now must not look as if its process had died.
      if (unstarted.hasAny) await waitAtMost(ports.clock, GIVE_BACK_MS, unstarted.giveBack());
      const namespace = settings.namespace ?? defaultNamespace(lambda);
      const plan = (source: SourceEntry, index: number): Entry =>
        planEntry(source, index, settings, namespace);
      const read = (some: readonly SourceEntry[]): ReturnType<typeof readPayloads> =>
        readPayloads(some, settings.decode, {
          concurrency: settings.concurrency,
          stop: deadline.stop,
          isPermanent,
        });

      const batch = readFrom(settings.source, event);
      let entries: Entry[];
      if (batch.entries.some((entry) => 'record' in entry.read && isSuspect(entry.read.record, danger))) {
        const { comesAgainSoon = false } = batch;
        const markedIn = typeof namespace === 'string' ? namespace : nameOf(lambda);
        const marks = new ReadingMarks({ settings, ports, deadline, lambda, comesAgainSoon }, markedIn);
        const steps = { read, plan, marks, clock: ports.clock, stop: deadline.stop };
        entries = await readSuspectsFirst(batch.entries, (record) => isSuspect(record, danger), steps);
      } else {
        const reading = read(batch.entries);
        entries = (reading instanceof Promise ? await reading : reading).map(plan);
      }
      coalesce(entries);
      noteRefusedByPlan(entries, observer);

      await new Invocation(entries, handler, settings, ports, lambda, deadline, batch.comesAgainSoon).run();

      ports.observer.onEvent({
        type: 'batchFinished',
        records: entries.length,
        outcomes: countOutcomes(entries),
        ...withoutClaim(entries),
        durationMs: ports.clock.now() - startedAt,
      });
      return batch.answer(entries.map(endingOf));
    } finally {
      deadline.cancel();
    }
  };
}

function noteRefusedByPlan(entries: readonly Entry[], observer: Observer): void {
  for (const { outcome, recordId } of entries) {
    if (outcome?.status === 'invalid') observer.onEvent({ type: 'invalid', recordId, error: outcome.error });
    // Nothing else fails before it has a key.
    if (outcome?.status === 'failed') {
      observer.onEvent({ type: 'decodeFailed', recordId, error: outcome.error });
    }
  }
}

function countOutcomes(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of entries) {
    const status = outcome?.status ?? 'unfinished';
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

function withoutClaim(entries: readonly Entry[]): { withoutClaim?: number } {
  const count = entries.filter(({ outcome }) => outcome !== undefined && 'withoutClaim' in outcome).length;
  return count === 0 ? {} : { withoutClaim: count };
}

function invocationOf(lambda: Context | undefined): ObservedInvocation {
  return lambda?.awsRequestId === undefined ? {} : { requestId: lambda.awsRequestId };
}

/** A broken observer must not harm a record. */
function harmless(observer: Observer, invocation: ObservedInvocation): Observer {
  return {
    onEvent(event: BatchEvent) {
      try {
        // An asynchronous observer fits the type too, and its rejection, unheard, would end the process.
        const returned: unknown = observer.onEvent(event, invocation);
        if (returned instanceof Promise) returned.catch(() => undefined);
      } catch {
        // Whoever observes has no say in what happens.
      }
    },
  };
}
