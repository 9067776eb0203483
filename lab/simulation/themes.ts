import { deadLetterQueue } from 'batchlatch';
import type { Scenario } from './scenario.ts';
import type { Random } from './virtual-world/random.ts';

/** Turns a scenario towards one kind of trouble, which scenarios that are drawn at large hardly ever get into. */
type Theme = (scenario: Scenario, random: Random) => Scenario;

/** Half of all runs have a theme, and a few of those two. Drawn apart, so that the other half stays what it was. */
export function withThemes(scenario: Scenario, random: Random): Scenario {
  if (random.chance(0.5)) return scenario;
  const [first, second] = random.shuffled(themes) as [Theme, Theme];
  const themed = first(scenario, random);
  return random.chance(0.2) ? second(themed, random) : themed;
}

/** Overlapping invocations of one process, as on Lambda Managed Instances, in several processors with one store. */
const sharedProcesses: Theme = (scenario, random) => {
  if (scenario.consumer === 'calls') return scenario;
  return {
    ...scenario,
    platform: 'managed',
    workers: random.integer(1, 2),
    processorsInProcess: random.integer(1, 3),
    invocationsAtATime: random.integer(2, 4),
    cachedKeys: random.pick([0, 0, 2, 50]),
  };
};

/**
 * Many invocations of one processor at a time, which share its requests, and whose times are over at different moments.
 * Drawn apart from the rest, which is what it was before there were such.
 */
export function withOverlaps(scenario: Scenario, random: Random): Scenario {
  const { consumer, batchSize, messages, queue, faults } = scenario;
  if (consumer === 'calls' || random.chance(0.87)) return scenario;
  const isFifo = queue.kind === 'fifo';
  return {
    ...scenario,
    platform: 'managed',
    workers: 1,
    processorsInProcess: random.pick([1, 1, 2]),
    invocationsAtATime: isFifo ? random.integer(2, 4) : random.integer(3, 10), // one per group is the most
    batchSize: queue.kind === 'async' ? batchSize : Math.min(batchSize, random.integer(1, 6)),
    // All of them look for messages all the while that a group waits for its head.
    queue: { ...queue, ...(isFifo && { visibilityTimeoutMs: random.magnitude(1_000, 6_000) }) },
    messages: { ...messages, spreadMs: random.chance(0.5) ? 0 : messages.spreadMs },
    faults: { ...faults, shortTime: random.pick([0, 0.3, 0.8]) },
  };
}

/** A batch of a stream in which most records are of one partition key: the others wait behind it for their claims. */
const hotLane: Theme = (scenario, random) => {
  const { settings, queue, messages, faults } = scenario;
  const { visibility: _, heartbeat: __, ...rest } = settings;
  const isCalmer = random.chance(0.7);
  const count = random.integer(26, 60);
  return {
    ...scenario,
    consumer: random.chance(0.7) ? 'batches' : 'records',
    batchSize: random.integer(26, 60),
    functionTimeoutMs: random.magnitude(8_000, 30_000),
    settings: { ...rest, concurrency: random.integer(1, 15) },
    queue: {
      ...queue,
      kind: 'stream',
      groups: random.integer(2, 6),
      shards: 1,
      maxReceiveCount: random.integer(3, 8),
    },
    messages: {
      ...messages,
      count,
      keys: random.chance(0.7) ? count : random.integer(1, count),
      spreadMs: 0,
      hotShare: random.pick([0.5, 0.8, 0.95]),
    },
    faults: isCalmer ? { ...faults, death: 0, requestLost: 0, answerLost: 0, refused: 0, slow: 0 } : faults,
  };
};

/** Handlers that stop when they are told to, with half of their work done, or finish it all the same. */
const obedientHandlers: Theme = (scenario, random) => {
  const { consumer, settings, handlers } = scenario;
  return {
    ...scenario,
    consumer: consumer === 'records' && random.chance(0.4) ? 'batches' : consumer,
    settings: {
      ...settings,
      ...(random.chance(0.6) && consumer !== 'calls'
        ? { recordTimeoutMs: random.magnitude(50, 1_000) }
        : { leaseMs: random.magnitude(300, 3_000) }),
    },
    handlers: { ...handlers, stepwise: random.pick([0.3, 0.8]), finishes: random.pick([0, 0.3, 0.7]) },
  };
};

/** Results as long as a store says that it can keep, beside which the rest of the row may have no room. */
const longResults: Theme = (scenario, random) => ({
  ...scenario,
  handlers: { ...scenario.handlers, longResults: random.rate(0.05, 0.6) },
});

/** Events delivered by Lambda's queue for asynchronous invocations, to functions that may take minutes. */
const asynchronousEvents: Theme = (scenario, random) => {
  const { settings, queue, messages, faults, handlers } = scenario;
  const {
    visibility: _,
    leaseMs: __,
    maxAttempts: ___,
    maxCrashes: ____,
    onLapsedLease: _____,
    onConflict: ______,
    ...rest
  } = settings;
  const calmAfterMs = random.magnitude(300_000, 1_800_000);
  return {
    ...scenario,
    consumer: random.chance(0.8) ? 'records' : 'batches',
    platform: scenario.platform === 'managed' ? 'managed' : 'lambda',
    batchSize: 1,
    functionTimeoutMs: random.magnitude(10_000, 900_000),
    calmAfterMs,
    settings: rest,
    queue: {
      ...queue,
      kind: 'async',
      service: random.pick(['eventbridge', 'sns'] as const),
      groups: 0,
      redrives: false,
      maxReceiveCount: 3,
    },
    messages: { ...messages, spreadMs: calmAfterMs },
    faults: { ...faults, death: random.chance(0.7) ? random.rate(0.005, 0.05) : faults.death },
    handlers: {
      ...handlers,
      kills: random.chance(0.7) ? random.rate(0.05, 0.3) : handlers.kills,
      takesMinutes: random.pick([0, 0.1, 0.4]),
    },
  };
};

/** No answer comes to a whole request of many claims, though all of them are written; and what dies is parked. */
const claimsUnheardOf: Theme = (scenario, random) => {
  const { consumer, settings, messages, faults, queue } = scenario;
  const { maxCrashes: _, onLapsedLease: __, maxAttempts: ___, ...rest } = settings;
  const count = random.integer(10, 40);
  return {
    ...scenario,
    batchSize: queue.kind === 'fifo' ? random.integer(5, 10) : random.integer(5, 30),
    settings: {
      ...rest,
      ...(consumer === 'calls' || random.chance(0.5)
        ? { onLapsedLease: 'park' as const }
        : { maxCrashes: random.integer(1, 2) }),
    },
    queue: { ...queue, maxReceiveCount: queue.maxReceiveCount ?? 8 },
    messages: { ...messages, count, keys: count },
    faults: { ...faults, requestUnheard: random.pick([0, 0.05, 0.3]) },
    handlers: {
      ...scenario.handlers,
      kills: random.chance(0.5) ? random.rate(0.01, 0.1) : scenario.handlers.kills,
    },
  };
};

/** Calls to the store and to SQS that are never answered, now and then, through clients with or without an ear for signals. */
const silentCalls: Theme = (scenario, random) => ({
  ...scenario,
  faults: { ...scenario.faults, hangs: random.rate(0.005, 0.3), heedsAbort: random.chance(0.5) },
});

/** A time in which no call is answered, and many are made: each has a place of its own for as long as it lasts. */
const silentTimes: Theme = (scenario, random) => {
  const { calmAfterMs, faults, settings, messages, queue, handlers } = scenario;
  const isSoon = random.chance(0.5);
  const fromMs = random.integer(0, isSoon ? 500 : calmAfterMs / 2);
  const count = random.integer(30, 60);
  return {
    ...scenario,
    workers: random.integer(1, 2),
    batchSize: queue.kind === 'standard' ? random.integer(30, 60) : scenario.batchSize,
    functionTimeoutMs: random.magnitude(2_000, 10_000),
    writes: random.pick(['batch', 'single', 'single'] as const),
    settings: {
      ...settings,
      deadlineMarginMs: random.pick([200, 1_000]),
      concurrency: random.integer(5, 20),
    },
    // No dead-letter queue takes what a process that no longer claims anything hands back for ever.
    queue: {
      ...queue,
      ...(queue.kind === 'standard' && !settings.payloadValidation && { maxReceiveCount: undefined }),
    },
    messages: {
      ...messages,
      count,
      keys: count,
      poisonShare: 0,
      failingShare: 0,
      ...(isSoon && { spreadMs: 0 }),
    },
    faults: {
      ...faults,
      death: 0,
      pause: 0,
      silence: { fromMs, toMs: fromMs + random.integer(1_000, calmAfterMs / 2) },
      heedsAbort: random.chance(0.5),
    },
    handlers: { ...handlers, kills: 0 },
  };
};

/** Messages of one key that do not ask for the same. */
const foreignPayloads: Theme = (scenario, random) => {
  const { settings, messages, queue, consumer } = scenario;
  if (consumer === 'calls') return scenario;
  const count = random.integer(4, 30);
  return {
    ...scenario,
    batchSize: queue.kind === 'standard' ? random.integer(2, 20) : scenario.batchSize,
    settings: {
      ...settings,
      key: keyInBody,
      payloadValidation: payloadInBody,
      ...(random.chance(0.7) && { deadLetter: deadLetterQueue({ url: 'sim://dead-letters' }) }),
    },
    queue: { ...queue, maxReceiveCount: queue.maxReceiveCount ?? random.integer(3, 8) },
    messages: {
      ...messages,
      count,
      keys: random.integer(1, Math.ceil(count / 2)),
      spreadMs: random.chance(0.5) ? 0 : messages.spreadMs,
      foreignShare: random.rate(0.05, 0.5),
    },
  };
};

/** Invocations that begin when their time is over. */
const noTimeLeft: Theme = (scenario, random) => ({
  ...scenario,
  platform: scenario.platform === 'long-lived' ? 'lambda' : scenario.platform,
  faults: { ...scenario.faults, noTime: random.rate(0.02, 0.3) },
});

const themes: readonly Theme[] = [
  sharedProcesses,
  hotLane,
  obedientHandlers,
  longResults,
  asynchronousEvents,
  claimsUnheardOf,
  silentCalls,
  silentTimes,
  foreignPayloads,
  noTimeLeft,
];

/** The key that the simulated messages carry in their body. */
export function keyInBody(record: { readonly body: unknown }): string {
  return (record.body as { readonly work: string }).work;
}

function payloadInBody(record: { readonly body: unknown }): string {
  return (record.body as { readonly payload: string }).payload;
}
