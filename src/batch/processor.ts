import type { Context } from 'aws-lambda';
import { createDeadline } from '../attempts/deadline.ts';
import { hostOf } from '../attempts/host.ts';
import { isPermanent } from '../attempts/errors.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { waitAtMost } from '../base/clock.ts';
import { whenAborted } from '../base/stop.ts';
import type { BatchResponse, KafkaBatchResponse } from '../sources/answers.ts';
import { readPayloads } from '../sources/decode-step.ts';
import { readFrom } from '../sources/read-from.ts';
import type { SourceBatch } from '../sources/source.ts';
import { keyMaker } from '../keys/idempotency-key.ts';
import { takeDefaultNamespace } from './default-namespaces.ts';
import { endingOf } from './endings.ts';
import type { Entry } from './entry.ts';
import { Invocation } from './invocation.ts';
import { coalesce, planEntry, unreadEntry } from './plan.ts';
import type { BatchReading, Handler, Policy } from './policy.ts';
import type { Ports } from './ports.ts';
import { noteFinished, noteOutcomes, noteRefusedByPlan } from './reports.ts';
import type { InvocationScope } from './invocation-scope.ts';
import { createScopes } from './scopes.ts';
import type { Settings } from './settings.ts';

/** The namespace outside Lambda, where there is no function name. */
const LOCAL_NAMESPACE = 'local';

type Answer = BatchResponse | KafkaBatchResponse | undefined;

/** How long a batch waits for the claims that an earlier one could not give back. */
const GIVE_BACK_MS = 250;

/** The pipeline, in the order it reads: source, key, then claim, run and settle, then respond. */
export function createProcessor(
  handler: Handler,
  { settings, policies }: { readonly settings: Settings; readonly policies: readonly Policy[] },
  ports: Ports,
  functionName: string | undefined,
  /** The store as it was given, by which processors that share one are known. */
  givenStore: ClaimStore = ports.store,
): (event: unknown, lambda?: Context) => Promise<Answer> {
  const scopes = createScopes(settings, policies, ports, functionName);
  const self = {};
  const nameOf = (lambda: Context | undefined): string =>
    lambda?.functionName ?? functionName ?? LOCAL_NAMESPACE;

  function namespaceOf(lambda: Context | undefined): NonNullable<Settings['namespace']> {
    const { namespace } = settings;
    if (namespace !== undefined) return namespace;
    const name = nameOf(lambda);
    if (!hasOwnKeys(settings)) takeDefaultNamespace(givenStore, name, self);
    return name;
  }

  /** Most events have nothing to decode, and wait for nothing. */
  function entriesOf(batch: SourceBatch, scope: InvocationScope): Entry[] | Promise<Entry[]> {
    const { lambda, deadline } = scope;
    const namespace = namespaceOf(lambda);
    const { concurrency, decode } = settings;
    const keyOf = keyMaker(settings.key, namespace);
    const reading: BatchReading = {
      delivered: batch.entries,
      namespace: typeof namespace === 'string' ? namespace : nameOf(lambda),
      read: (some) => readPayloads(some, decode, { concurrency, stop: deadline.stop, isPermanent }),
      plan: (source, index) => planEntry(source, index, keyOf, settings.payloadValidation),
    };
    for (const policy of policies) {
      const entries = policy.read?.(reading, scope);
      if (entries !== undefined) return entries;
    }
    const read = reading.read(batch.entries);
    return read instanceof Promise ? read.then((some) => some.map(reading.plan)) : read.map(reading.plan);
  }

  async function answerOf(batch: SourceBatch, scope: InvocationScope, startedAt: number): Promise<Answer> {
    const reading = entriesOf(batch, scope);
    const entries =
      reading instanceof Promise
        ? await Promise.race([reading, whenAborted(scope.deadline.answerNow)])
        : reading;
    for (const entry of entries ?? batch.entries.map(unreadEntry)) scope.entries.push(entry);
    coalesce(scope.entries);
    noteRefusedByPlan(scope);
    noteOutcomes(scope);
    await new Invocation(handler, scope).run();
    noteFinished(scope, startedAt);
    return batch.answer(scope.entries.map(endingOf));
  }

  return async (event, lambda) => {
    const startedAt = ports.clock.now();
    const deadline =
      hostOf(lambda)?.deadline ?? createDeadline(lambda, settings.deadlineMarginMs, ports.clock);
    const { unstarted } = scopes;
    let leave: (() => void) | undefined;
    try {
      // First what an earlier invocation could not: what comes again now must not look as if its process had died.
      if (unstarted.hasAny) {
        await waitAtMost(ports.clock, GIVE_BACK_MS, unstarted.giveBack(), deadline.stop);
      }
      const batch = readFrom(settings.source, event);
      const invocation = scopes.create({ lambda, deadline, batch });
      ({ leave } = invocation);
      let answer: Promise<Answer> | undefined;
      invocation.inside(() => {
        answer = answerOf(batch, invocation.scope, startedAt);
      });
      return await answer;
    } finally {
      leave?.();
      deadline.cancel();
    }
  };
}

/** Known by an id that only this queue's messages have, or by a key that says itself whose it is. */
function hasOwnKeys({ key, decode }: Settings): boolean {
  if (key.isWholeKey === true) return true;
  return key.isMessageId === true && decode.every(({ kind }) => kind !== 'envelope');
}
