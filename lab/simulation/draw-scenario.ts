import { backoff, deadLetterQueue, heartbeat, waitForOwner } from 'batchlatch';
import type { BatchProcessorOptions } from '../../src/batch/options.ts';
import type { Consumer, Mode, QueueScenario, Scenario } from './scenario.ts';
import { keyInBody, withOverlaps, withThemes } from './themes.ts';
import { Random } from './virtual-world/random.ts';

/**
 * Draws a scenario. Each fault is off in half of the scenarios: runs with few kinds of fault get further into
 * what those lead to ("swarm testing", Groce et al., ISSTA 2012).
 */
export function drawScenario(seed: number, mode: Mode): Scenario {
  const scenario = withConsumer(drawQueueScenario(seed, mode), new Random(`consumer:${mode}:${seed}`));
  const themed = withThemes(scenario, new Random(`theme:${mode}:${seed}`));
  return withOverlaps(themed, new Random(`overlaps:${mode}:${seed}`));
}

/** A scenario of a queue and a handler of single records. */
function drawQueueScenario(seed: number, mode: Mode): Scenario {
  const random = new Random(`scenario:${mode}:${seed}`);
  const rate = (from: number, to: number, isOn = 0.5): number =>
    random.chance(isOn) ? random.rate(from, to) : 0;

  const kind = random.chance(0.4) ? 'fifo' : 'standard';
  const platform = random.chance(0.75) ? 'lambda' : 'long-lived';
  const skewMs = random.chance(0.5) ? random.magnitude(20, 10_000) : 0;
  // A FIFO group waits for its head: without a dead-letter queue a parked head would block it for good.
  const maxReceiveCount = kind === 'fifo' || random.chance(0.7) ? random.integer(2, 8) : undefined;
  const maxAttempts = random.chance(0.4) ? random.integer(1, 5) : undefined;
  // Without an end to their deliveries or their attempts, these would come back for ever.
  const hopeless = maxReceiveCount !== undefined || maxAttempts !== undefined ? 1 : 0;
  const count = random.magnitude(3, 40);
  const calmAfterMs = random.magnitude(20_000, 200_000);

  return {
    seed,
    mode,
    platform,
    workers: random.integer(1, 4),
    processorsInProcess: 1,
    invocationsAtATime: 1,
    cachedKeys: 0,
    skewMs,
    functionTimeoutMs: random.magnitude(2_000, 20_000),
    batchSize: kind === 'fifo' ? random.integer(1, 10) : random.integer(1, random.chance(0.2) ? 40 : 10),
    calmAfterMs,
    settings: {
      namespace: 'sim',
      concurrency: random.integer(1, 10),
      settleLingerMs: random.pick([0, 5, 5, 100]),
      deadlineMarginMs: random.pick([0, 200, 1_000, 1_000]),
      // A retention shorter than the pause between two deliveries forgets the attempts and crashes so far:
      // only a dead-letter queue can then end what always fails.
      ...(maxReceiveCount !== undefined &&
        random.chance(0.25) && { retentionMs: random.magnitude(1_000, 60_000) }),
      ...(random.chance(0.4) && { leaseMs: random.magnitude(300, 10_000) }),
      ...(random.chance(0.2) && { recordTimeoutMs: random.magnitude(50, 5_000) }),
      ...(maxAttempts !== undefined && { maxAttempts }),
      ...(random.chance(0.7) && { key: keyInBody }),
      ...drawPolicies(new Random(`policies:${mode}:${seed}`)),
    },
    consumer: 'records',
    replaysFailures: false,
    writes: random.chance(0.85) ? 'batch' : 'single',
    queue: {
      kind,
      service: 'eventbridge',
      groups: kind === 'fifo' ? random.integer(1, 4) : random.pick([0, 0, 2]),
      shards: 0,
      visibilityTimeoutMs: random.magnitude(1_000, 40_000),
      maxReceiveCount,
      returnsAtOnce: random.chance(0.4),
      redrives: random.chance(0.3),
    },
    messages: {
      count,
      keys: random.chance(0.5) ? count : random.integer(1, count),
      spreadMs: random.chance(0.3) ? 0 : Math.round(calmAfterMs * 1.3),
      permanentShare: rate(0.02, 0.2, 0.3),
      poisonShare: hopeless * rate(0.02, 0.15, 0.3),
      failingShare: hopeless * rate(0.02, 0.15, 0.3),
      hotShare: 0,
      foreignShare: 0,
    },
    faults: {
      death: rate(0.000_5, 0.03),
      pause: rate(0.001, 0.05),
      requestLost: rate(0.01, 0.3),
      answerLost: rate(0.01, 0.3),
      refused: rate(0.005, 0.2),
      slow: rate(0.02, 0.4),
      itemRefused: rate(0.005, 0.2),
      deleteLost: rate(0.02, 0.4),
      duplicateDelivery: rate(0.01, 0.3),
      requestUnheard: 0,
      hangs: 0,
      silence: undefined,
      heedsAbort: true,
      noTime: 0,
      shortTime: 0,
    },
    handlers: {
      fails: rate(0.02, 0.4),
      slow: rate(0.02, 0.5),
      hangs: rate(0.01, 0.2),
      kills: rate(0.005, 0.1),
      extends: rate(0.05, 0.8),
      commits: commitRate(seed, mode),
      stepwise: 0,
      finishes: 0,
      longResults: 0,
      takesMinutes: 0,
    },
  };
}

/** Drawn apart from the rest, which is what it was before there were others. */
function withConsumer(scenario: Scenario, random: Random): Scenario {
  const consumer = random.pick<Consumer>(['records', 'records', 'batches', 'calls']);
  const replaysFailures = random.chance(0.5);
  const isStream = random.chance(0.25);
  const { settings, queue } = scenario;
  if (consumer === 'calls') {
    // Calls know neither order nor queues.
    const { maxCrashes: _, visibility: __, deadLetter: ___, ...callSettings } = settings;
    const callQueue = { ...queue, kind: 'standard', groups: 0 } as const;
    return { ...scenario, consumer, replaysFailures, settings: callSettings, queue: callQueue };
  }
  if (!isStream) return { ...scenario, consumer };
  const stream: QueueScenario = {
    ...queue,
    kind: 'stream',
    groups: random.integer(1, 4),
    shards: random.integer(1, 2),
    // What stands at a checkpoint holds up its shard: without an end to that, a parked record would for good.
    maxReceiveCount: queue.maxReceiveCount ?? random.integer(2, 8),
  };
  const { visibility: _, ...streamSettings } = settings;
  return { ...scenario, consumer, settings: streamSettings, queue: stream };
}

/** What is done about failures, beyond handing them back. Drawn apart, so that the rest of a seed's scenario stays. */
function drawPolicies(random: Random): BatchProcessorOptions {
  return {
    ...(random.chance(0.2) && { maxCrashes: random.integer(1, 3) }),
    ...(random.chance(0.15) && { onLapsedLease: 'park' }),
    ...(random.chance(0.25) && { onConflict: waitForOwner({ timeoutMs: random.magnitude(50, 10_000) }) }),
    ...(random.chance(0.25) && { heartbeat: heartbeat({ intervalMs: random.magnitude(50, 3_000) }) }),
    ...(random.chance(0.3) && {
      visibility: backoff({
        baseDelayMs: random.magnitude(100, 3_000),
        maxDelayMs: random.magnitude(3_000, 60_000),
      }),
    }),
    ...(random.chance(0.3) && { deadLetter: deadLetterQueue({ url: 'sim://dead-letters' }) }),
  };
}

/** Drawn apart from the rest, which is what it was before there were commits. */
function commitRate(seed: number, mode: Mode): number {
  const random = new Random(`commit:${mode}:${seed}`);
  return random.chance(0.4) ? random.pick([0.2, 0.6, 1]) : 0;
}
