import { ConfigurationError } from '../base/errors.ts';
import {
  aFunction,
  aListOf,
  anInteger,
  type Check,
  either,
  members,
  required,
} from '../options/check-options.ts';
import type { Adaptive } from './adaptive-limit.ts';
import { CLAIM_STORE, type Dependency } from './dependencies.ts';
import type { Rate } from './rate-limits.ts';

/** How many messages a call of the handler gets. */
export interface BatchOptions {
  /** The most messages in one call. */
  readonly size: number;
  /** How long the first message waits for others, in milliseconds from when it was received. Default 0: it takes those that are here. */
  readonly windowMs?: number;
}

/** What bounds how much a worker does at a time, and when. */
export interface FlowOptions {
  /** Messages in handlers at once. Default 100. */
  readonly maxInFlight?: number;
  /**
   * Of them, of one `MessageGroupId`, so that one tenant cannot take all; more of it are set aside. FIFO groups have 1. Default: no
   * bound.
   */
  readonly concurrencyPerGroup?: number;
  /**
   * How many messages a call of the handler gets. Default: one, or those of one FIFO group that a receive brought; for
   * `createBatchProcessor.forBatches`, up to 10 that are here.
   */
  readonly batch?: BatchOptions;
  /** The most receives at a time. Default 4. */
  readonly receivers?: number;
  /** How many records may start in a time, in all or of each key; several rates hold together. Default: as many as there are slots. */
  readonly rate?: Rate | readonly Rate[];
  /** What handlers need beside the claim store: while it is down, nothing is received and nothing starts. Default: none. */
  readonly dependencies?: readonly Dependency[];
  /** Finds out how many handlers may run at a time, by how long they take and what is refused. Default: `maxInFlight` do. */
  readonly adaptive?: Adaptive;
}

/** Of Lambda's event source mappings for SQS. */
const MOST_IN_BATCH = 10_000;
const LONGEST_WINDOW_MS = 300_000;
const MOST_RECEIVERS = 1_000;
/** A standard queue has no more than 120,000 messages in flight. */
const MOST_IN_FLIGHT = 100_000;

const aRate = members({
  records: required(anInteger(1)),
  perMs: required(anInteger(1)),
  key: aFunction(),
});

const aName: Check = {
  expected: 'a name of up to 64 letters, digits, `_`, `-`, `.` and `:`',
  accepts: (value) => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value),
};

const aTolerance: Check = {
  expected: 'a number above 1',
  accepts: (value) => typeof value === 'number' && value > 1 && Number.isFinite(value),
};

const aDependency = members({
  name: required(aName),
  isDown: required(aFunction()),
  check: aFunction(),
});

const listOf = ({ expected, accepts }: Check): Check =>
  aListOf(`a list, each of which is ${expected}`, accepts);

/** What these options may be. */
export const flowChecks: Readonly<Record<keyof FlowOptions, Check>> = {
  maxInFlight: anInteger(1, MOST_IN_FLIGHT),
  concurrencyPerGroup: anInteger(1),
  batch: members({ size: required(anInteger(1, MOST_IN_BATCH)), windowMs: anInteger(0, LONGEST_WINDOW_MS) }),
  receivers: anInteger(1, MOST_RECEIVERS),
  rate: either(aRate, listOf(aRate)),
  dependencies: listOf(aDependency),
  adaptive: members({
    floor: anInteger(1),
    ceiling: anInteger(1),
    tolerance: aTolerance,
    isOverload: aFunction(),
  }),
};

/** Throws a `ConfigurationError` for options each of which may be, but not together. */
export function assertConsistent(options: FlowOptions, isFifo: boolean): void {
  const { maxInFlight = 100, concurrencyPerGroup, adaptive, dependencies = [], batch } = options;
  const { floor = 1, ceiling = maxInFlight } = adaptive ?? {};
  const ofCeiling = adaptive?.ceiling === undefined ? 'maxInFlight' : 'adaptive.ceiling';
  assertAtMost('batch.size', batch?.size, 'maxInFlight', maxInFlight);
  assertAtMost('adaptive.ceiling', ceiling, 'maxInFlight', maxInFlight);
  assertAtMost('adaptive.floor', floor, ofCeiling, ceiling);
  assertAtMost('concurrencyPerGroup', concurrencyPerGroup, 'maxInFlight', maxInFlight);
  if (isFifo && concurrencyPerGroup !== undefined && concurrencyPerGroup !== 1) {
    refuse(`\`concurrencyPerGroup\` is ${concurrencyPerGroup}, and the groups of a FIFO queue have 1`);
  }
  const names = dependencies.map(({ name }) => name);
  for (const name of names) {
    if (name === CLAIM_STORE)
      refuse(`\`${name}\` is how the claim store is called; give the dependency another name`);
    if (names.indexOf(name) !== names.lastIndexOf(name)) refuse(`two dependencies are called \`${name}\``);
  }
}

function assertAtMost(name: string, value: number = 0, ofMost: string, most: number): void {
  if (value > most) refuse(`\`${name}\` (${value}) is above \`${ofMost}\` (${most})`);
}

function refuse(why: string): never {
  throw new ConfigurationError(`createWorker: ${why}`);
}
