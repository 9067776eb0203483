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
import { readRecords } from './read-records.ts';
import type { Handler } from './run.ts';
import { runRecords } from './run-records.ts';

export type Answer = BatchResponse | KafkaBatchResponse | undefined;

/** How long a batch waits for the claims that an earlier one could not give back. */
const GIVE_BACK_MS = 250;

/**
 * One event, from its arrival to its answer: read, plan, run, hand back, answer.
 *
 * At each `await` the process may die, a lease may lapse or an answer may be lost. Nothing is held in memory that the
 * claims table does not say better: what was claimed lapses, what was settled stays.
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
    // First what an earlier invocation could not: what comes again now must not look as if its process had died.
    if (unstarted.hasAny) {
      await waitAtMost(ports.clock, GIVE_BACK_MS, unstarted.giveBack(), deadline.stop);
    }
    const opened = openContext(processor, {
      lambda,
      host,
      deadline,
      batch: readFrom(settings.source, event),
    });
    ({ close } = opened);
    let answer: Promise<Answer> | undefined;
    opened.inside(() => {
      answer = runInside(opened, processor, startedAt);
    });
    return await answer;
  } finally {
    close?.();
    deadline.cancel();
  }
}

async function runInside(
  { context, answer }: OpenContext,
  processor: Processor,
  startedAt: number,
): Promise<Answer> {
  const { ledger, watch, time } = context;
  // Every record has its key before any handler runs, so a handler that changes its record changes no key.
  const reading = readRecords(context, processor);
  const read = reading instanceof Promise ? await inTime(reading, time.deadline) : reading;
  ledger.open(plan(read ?? ledger.delivered.map(unread)));
  tellPlanned(context);
  ledger.tell(watch.noteOutcome);
  await inTime(runAndHandBack(processor.handler, context), time.deadline);
  tellFinished(context, startedAt);
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
    await heartbeat?.stop(); // none may arrive after a later change of the same message
  }
  await handBack(context);
}

/** Undefined: the answer has to leave before. */
function inTime<Value>(work: Promise<Value>, { answerNow }: Deadline): Promise<Value | undefined | void> {
  return Promise.race([work, whenAborted(answerNow)]);
}

/** Tells the observer of what ended before it could be claimed. */
function tellPlanned({ ledger, watch }: BatchContext): void {
  for (const { outcome, recordId, key } of ledger.records) {
    if (outcome === undefined) continue;
    if (outcome.status === 'invalid') watch.notify({ type: 'invalid', recordId, error: outcome.error });
    if (outcome.status === 'not-started') {
      watch.notify({ type: 'notStarted', recordId, key, reason: outcome.reason });
    }
    // Nothing else fails before it has a key.
    if (outcome.status === 'failed') watch.notify({ type: 'decodeFailed', recordId, error: outcome.error });
  }
}

/** Tells the observer how the batch ended. */
function tellFinished({ ledger, watch, time }: BatchContext, startedAt: number): void {
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
    ...(withoutClaim > 0 && { withoutClaim }),
    durationMs: time.clock.now() - startedAt,
  });
}
