import type { ClaimAdmin } from 'batchlatch/operations';
import { type Clock, systemClock } from '../tool-base/clock.ts';
import { type ActionLog, ActionsInMemory } from './action-log.ts';
import type { QueueJson } from './api.ts';
import { AskedReads } from './asked-reads.ts';
import { CarriedPlans } from './carried-plans.ts';
import { changePlanIn } from './change-plan.ts';
import { Changes } from './changes.ts';
import { DeadLetters } from './dead-letters.ts';
import { EventStream } from './event-stream.ts';
import { MOST_PLANNED } from './inputs.ts';
import { Jobs } from './jobs.ts';
import { KeptPlans } from './kept-plans.ts';
import type { ConsoleOptions } from './options.ts';
import { OverviewReader } from './overview.ts';
import { OutboxChanges } from './outbox/outbox-changes.ts';
import { rowsPlanIn } from './outbox/outbox-plan.ts';
import { outboxFacts, type ShownOutbox } from './outbox/outbox-reads.ts';
import { type QueueMetrics, readQueues } from './queue-reader.ts';
import { redrivePlanIn, Redrives } from './redrives.ts';
import { SeenClaims } from './seen-claims.ts';
import { sendPlanIn, Sends } from './send/sends.ts';

export interface ConsoleParts {
  readonly options: ConsoleOptions;
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly queues: readonly QueueJson[];
  readonly stream: EventStream;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
  readonly overview: OverviewReader;
  readonly reads: AskedReads;
  readonly changes: Changes;
  readonly letters: DeadLetters;
  readonly seen: SeenClaims;
  readonly redrives: Redrives;
  readonly sends: Sends;
  readonly outbox: ShownOutbox | undefined;
  readonly outboxChanges: OutboxChanges;
}

/** The most claims, or rows of an outbox, of a plan that the page sends back. */
const MOST_CARRIED = 1_000;
const INDEXED = ['in-progress', 'overdue', 'parked'] as const;

export function consoleParts(options: ConsoleOptions): ConsoleParts {
  const seen = new SeenClaims(options.namespaces);
  const store = seen.noting(options.store);
  const { clock = systemClock, sqs, key, queues = [], onAction, keepsNothing = false } = options;
  const { usesReceives = false, outbox } = options;
  const stream = new EventStream(clock, (listeners) => {
    if (listeners > 0) overview.start();
    else void overview.rest();
  });
  const jobs = new Jobs(clock, (job) => {
    stream.send('job', job, job.id);
    overview.publish();
  });
  const inMemory = new ActionsInMemory((action) => {
    stream.send('action', action, action.job);
    onAction?.(action);
  });
  const { actions = inMemory } = options;
  const metrics = queueMetricsOf(options, clock);
  const overview = new OverviewReader({
    store,
    clock,
    indexedStates: options.indexedStates ?? INDEXED,
    readEveryMs: options.readEveryMs,
    estimateRows: options.estimateRows,
    queues: async (signal) => readQueues(sqs, queues, await metrics(signal), signal),
    outbox: outbox && ((signal) => outboxFacts(outbox.admin, signal)),
    jobs: () => jobs.running(),
    publish: (current) => stream.send('overview', current),
  });
  const reads = new AskedReads({ store, clock, jobs, onRead: (read) => overview.take(read) });
  const mostPlanned = keepsNothing ? MOST_CARRIED : MOST_PLANNED;
  const changes = new Changes({
    store,
    clock,
    jobs,
    actions,
    plans: keepsNothing ? new CarriedPlans(clock, changePlanIn) : new KeptPlans(clock),
    mostPlanned,
  });
  const outboxChanges = new OutboxChanges({
    outbox,
    clock,
    jobs,
    actions,
    plans: keepsNothing ? new CarriedPlans(clock, rowsPlanIn) : new KeptPlans(clock),
    mostPlanned,
  });
  const rereads = keepsNothing;
  const letters = new DeadLetters({ store, clock, sqs, key, queues, usesReceives, seen, rereads });
  const redrives = new Redrives({
    letters,
    store,
    clock,
    key,
    jobs,
    actions,
    plans: keepsNothing ? new CarriedPlans(clock, redrivePlanIn) : new KeptPlans(clock),
    usesReceives,
  });
  const { sender } = options;
  const sends = new Sends({
    sender,
    queues,
    key,
    store,
    clock,
    actions,
    plans: keepsNothing ? new CarriedPlans(clock, sendPlanIn) : new KeptPlans(clock),
  });
  return {
    options,
    store,
    clock,
    queues,
    stream,
    jobs,
    actions,
    overview,
    reads,
    changes,
    letters,
    seen,
    redrives,
    sends,
    outbox,
    outboxChanges,
  };
}

/** CloudWatch has one value per minute, and each request costs money. */
const METRICS_EVERY_MS = 60_000;

function queueMetricsOf(
  { queueMetrics }: ConsoleOptions,
  clock: Clock,
): (signal: AbortSignal) => Promise<ReadonlyMap<string, QueueMetrics>> {
  let known: ReadonlyMap<string, QueueMetrics> = new Map();
  let askedAt = -Infinity;
  return async (signal) => {
    if (queueMetrics === undefined || Math.abs(clock.now() - askedAt) < METRICS_EVERY_MS) return known;
    askedAt = clock.now();
    try {
      known = await queueMetrics(signal);
    } catch {
      known = new Map(); // no permission
    }
    return known;
  };
}
