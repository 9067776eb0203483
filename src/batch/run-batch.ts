import type { Context } from 'aws-lambda';
import { createDeadline, type Deadline } from '../attempts/deadline.ts';
import { startHeartbeat } from '../attempts/heartbeat.ts';
import { hostOf } from '../attempts/host.ts';
import { waitAtMost } from '../base/clock.ts';
import { whenAborted } from '../base/stop.ts';
import type { BatchResponse, KafkaBatchResponse } from '../sources/answers.ts';
import { readFrom } from '../sources/read-from.ts';
import type { BatchContext } from './context.ts';
import { handBack, handedBack } from './hand-back.ts';
import { type OpenContext, openContext, type Processor } from './open-context.ts';
import { plan, unread } from './plan.ts';
import { readRecords, reserveNamespace } from './read-records.ts';
import type { Handler } from './run.ts';
import { runRecords } from './run-records.ts';

export type Answer = BatchResponse | KafkaBatchResponse | undefined;

/** How long a batch waits for the release of claims that an earlier invocation left behind. */
const GIVE_BACK_MS = 250;

/**
 * Processes one event: read, plan, run, hand back, answer.
 *
 * At each `await` the process may die, a lease may lapse or an answer may be lost. The claims table, not
 * memory, is the source of truth: claims lapse by themselves, settlements stay.
 */
export async function runBatch(
  event: unknown,
  lambda: Context | undefined,
  processor: Processor,
): Promise<Answer> {
  const { settings, unstarted, ports } = processor;
  const startedAt = ports.clock.now();
  const host = hostOf(lambda);
  const deadline = host?.deadline ?? createDeadline(lambda, settings.deadlineMarginMs, ports.clock);
  let close: (() => void) | undefined;
  try {
    // Release what earlier invocations could not: a redelivery would take such a claim for a crash.
    if (unstarted.hasAny()) {
      await waitAtMost(ports.clock, GIVE_BACK_MS, unstarted.giveBack(), deadline.stop);
    }
    reserveNamespace(lambda, processor); // before the observer hears of an invocation: it may throw
    const opened = openContext(processor, {
      startedAt,
      lambda,
      host,
      deadline,
      batch: readFrom(settings.source, event), // in no variable, which would keep the records as delivered
    });
    ({ close } = opened);
    let answer: Promise<Answer> | undefined;
    opened.inside(() => {
      answer = runInside(opened, processor);
    });
    return await answer;
  } finally {
    close?.();
    if (host === undefined) deadline.cancel(); // that of a host may be another processor's too
  }
}

async function runInside({ context, ready, answer }: OpenContext, processor: Processor): Promise<Answer> {
  const { ledger, watch, time } = context;
  if (ready !== undefined) await inTime(ready, time.deadline);
  // Every record has its key before any handler runs, so a handler that changes its record changes no key.
  const reading = readRecords(context, processor);
  const read = reading instanceof Promise ? await inTime(reading, time.deadline) : reading;
  ledger.open(plan(read ?? ledger.delivered.map(unread)));
  tellPlanned(context);
  ledger.tell(watch.noteOutcome);
  await inTime(runAndHandBack(processor.handler, context), time.deadline);
  tellFinished(context);
  return answer(handedBack(ledger));
}

async function runAndHandBack(handler: Handler, context: BatchContext): Promise<void> {
  const { time, running, settings } = context;
  const beat = (): Promise<void> | undefined => settings.heartbeat?.keepInvisible(context);
  const heartbeat = time.renewal && startHeartbeat(running, context, beat);
  time.deadline.answerNow.addEventListener('abort', () => void heartbeat?.stop(), { once: true });
  try {
    await runRecords(handler, context);
  } finally {
    await heartbeat?.stop(); // a later beat would overwrite the visibility that `handBack` sets
  }
  await handBack(context);
}

/** Resolves with undefined if the answer has to leave first. */
function inTime<Value>(work: Promise<Value>, { answerNow }: Deadline): Promise<Value | undefined | void> {
  return Promise.race([work, whenAborted(answerNow)]);
}

/** Notifies the observer of records that ended before they could be claimed. */
function tellPlanned({ ledger, watch }: BatchContext): void {
  for (const { outcome, recordId, key } of ledger.records) {
    if (outcome === undefined) continue;
    if (outcome.status === 'invalid') watch.notify({ type: 'invalid', recordId, error: outcome.error });
    if (outcome.status === 'not-started') {
      watch.notify({ type: 'notStarted', recordId, key, reason: outcome.reason });
    }
    // Before a record has a key, only decoding can fail.
    if (outcome.status === 'failed') watch.notify({ type: 'decodeFailed', recordId, error: outcome.error });
  }
}

function tellFinished({ ledger, watch, time, settings }: BatchContext): void {
  const outcomes: Record<string, number> = {};
  let withoutClaim = 0;
  for (const record of ledger.records) {
    const outcome = ledger.outcomes[record.index];
    const status = outcome?.status ?? 'unfinished';
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    if (outcome !== undefined && 'withoutClaim' in outcome) withoutClaim += 1;
  }
  watch.notify({
    type: 'batchFinished',
    records: ledger.records.length,
    outcomes,
    ...settings.routing?.countsOf(ledger),
    ...(withoutClaim > 0 && { withoutClaim }),
    durationMs: time.clock.now() - time.startedAt,
  });
}
