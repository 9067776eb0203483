import { Random } from '../../simulation/virtual-world/random.ts';
import type { KeyOf } from './keys.ts';
import { costAt, type Cost, type Measured } from './measured-worker.ts';
import { hashOf, type PartitionLoads, partitionLoads, partitionOf } from './partitions.ts';

/** A fleet of workers at one queue and one table. */
export interface FleetOptions {
  readonly seed: number;
  readonly messages: number;
  readonly workers: number;
  /** Messages that arrive in a second for each worker. */
  readonly ratePerWorker: number;
  readonly maxInFlight: number;
  readonly handlerMs: number;
  /** Shares of messages, from 0 to 1. */
  readonly duplicates: number;
  readonly failures: number;
  /** Handlers that take `LONG_MS`. */
  readonly long: number;
  readonly keyOf: KeyOf;
  /** Of the table: each takes 1,000 write units a second. */
  readonly partitions: number;
  /** Partitions for which the spread of the keys is counted besides. */
  readonly spreads: readonly number[];
  /** At how many messages the totals are noted. */
  readonly checkpoints: readonly number[];
  readonly onProgress?: (messages: number) => void;
}

/** What so many messages have cost. */
export interface Totals {
  readonly messages: number;
  readonly seconds: number;
  readonly deliveries: number;
  readonly queueRequests: number;
  readonly tableRequests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

export interface FleetRun {
  readonly totals: Totals;
  readonly checkpoints: readonly Totals[];
  readonly spreads: readonly PartitionLoads[];
  /** Writes that a partition refused because it had done 1,000 in that second; they are sent again. */
  readonly throttled: number;
  /** The most write units that any partition was asked for in a second. */
  readonly busiestSecond: number;
  readonly mostInFlight: number;
}

/** What a partition takes in a second. */
const UNITS_OF_PARTITION = 1_000;
/** What SQS has in flight at most for one queue. */
const MOST_IN_FLIGHT = 120_000;
const LONG_MS = 60_000;
/** Of a message. */
const WRITES = 2;
const SHORT_SECONDS = 15;

/** Goes second by second; memory does not grow with messages. */
export function simulateFleet(measured: Measured, options: FleetOptions): FleetRun {
  const fleet = new Fleet(measured, options);
  while (fleet.left > 0) fleet.second();
  return fleet.result();
}

class Fleet {
  readonly #measured: Measured;
  readonly #options: FleetOptions;
  readonly #random: Random;
  readonly #spreads: PartitionLoads[];
  /** Write units that wait for each partition, from earlier seconds. */
  readonly #waiting: Float64Array;
  readonly #asked: Float64Array;
  readonly #secondsOfOne: number;
  readonly #totals = { ...NOTHING, messages: 0, seconds: 0, deliveries: 0 };
  readonly #checkpoints: Totals[] = [];
  #arrived = 0;
  #nextCheckpoint = 0;
  #held = 0;
  #throttled = 0;
  #busiest = 0;
  #mostInFlight = 0;
  #messageNumber = 0;

  constructor(measured: Measured, options: FleetOptions) {
    this.#measured = measured;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#waiting = new Float64Array(options.partitions);
    this.#asked = new Float64Array(options.partitions);
    this.#spreads = options.spreads.map(partitionLoads);
    const { handlerMs, long } = options;
    this.#secondsOfOne = (handlerMs * (1 - long) + LONG_MS * long) / 1_000;
  }

  /** Messages that are not done. */
  get left(): number {
    return this.#options.messages - this.#totals.messages + this.#held;
  }

  second(): void {
    const { messages, workers, ratePerWorker, maxInFlight, partitions } = this.#options;
    const arriving = poisson(workers * ratePerWorker, this.#random);
    this.#arrived = Math.min(messages, this.#arrived + arriving);
    const backlog = this.#arrived - this.#totals.messages;
    const slots = Math.max(Math.min(workers * maxInFlight, MOST_IN_FLIGHT) - this.#held, 0);
    // What the table does not take in this second stays in its slot.
    const written = Math.max(partitions * UNITS_OF_PARTITION - this.#held * WRITES, 0) / WRITES;
    // Little's law: what is in flight is what comes in a second, for as long as it stays.
    const running = Math.floor(Math.min(backlog, slots / this.#secondsOfOne, written + slots));
    const inFlight = Math.min(Math.ceil(running * this.#secondsOfOne), slots) + this.#held;
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight);
    this.#share(running);
    this.#write();
    this.#totals.seconds += 1;
    this.#noteCheckpoints();
    this.#options.onProgress?.(this.#totals.messages);
  }

  result(): FleetRun {
    return {
      totals: this.#noted(),
      checkpoints: this.#checkpoints,
      spreads: this.#spreads,
      throttled: this.#throttled,
      busiestSecond: this.#busiest,
      mostInFlight: this.#mostInFlight,
    };
  }

  /** SQS gives the messages of this second to whoever asks: each worker gets its share, by chance more or less. */
  #share(messages: number): void {
    const { workers, maxInFlight } = this.#options;
    const most = Math.floor(maxInFlight / this.#secondsOfOne);
    let left = messages;
    for (let worker = 0; worker < workers; worker += 1) {
      const rest = workers - worker;
      const own = rest === 1 ? left : Math.min(left, most, poisson(left / rest, this.#random));
      left -= own;
      this.#run(own);
    }
  }

  /** What one worker does in this second. */
  #run(messages: number): void {
    const { duplicates, failures, long } = this.#options;
    const { first, duplicate, failed, again, longSecond } = this.#measured;
    // How well it shares requests depends on how much it has to do.
    const here = costAt(this.#measured, messages);
    const share = here.tableRequests / first.tableRequests;
    const queueShare = here.queueRequests / first.queueRequests;
    for (let index = 0; index < messages; index += 1) {
      let units = this.#random.chance(failures)
        ? this.#add(failed, share, queueShare) + this.#add(again, share, queueShare)
        : this.#add(first, share, queueShare);
      if (this.#random.chance(duplicates)) units += this.#add(duplicate, share, queueShare);
      if (this.#random.chance(long)) units += this.#addLong(longSecond);
      this.#count(units);
    }
    this.#totals.messages += messages;
  }

  #add(cost: Cost, share: number, queueShare: number): number {
    const totals = this.#totals;
    totals.deliveries += 1;
    totals.queueRequests += cost.queueRequests * queueShare;
    totals.tableRequests += cost.tableRequests * share;
    totals.writeUnits += cost.writeUnits;
    totals.readUnits += cost.readUnits;
    return cost.writeUnits;
  }

  #addLong(perSecond: Cost): number {
    const seconds = LONG_MS / 1_000 - SHORT_SECONDS;
    this.#totals.queueRequests += perSecond.queueRequests * seconds;
    this.#totals.tableRequests += perSecond.tableRequests * seconds;
    this.#totals.writeUnits += perSecond.writeUnits * seconds;
    return perSecond.writeUnits * seconds;
  }

  #count(units: number): void {
    const hash = hashOf(this.#options.keyOf(this.#messageNumber));
    this.#messageNumber += 1;
    add(this.#asked, partitionOf(hash, this.#options.partitions), units);
    for (const spread of this.#spreads) add(spread.units, partitionOf(hash, spread.partitions), units);
  }

  /** Each partition takes what it can; the rest holds its slots and is sent again. */
  #write(): void {
    let held = 0;
    for (let index = 0; index < this.#asked.length; index += 1) {
      const asked = (this.#asked[index] as number) + (this.#waiting[index] as number);
      if (asked > this.#busiest) this.#busiest = asked;
      const left = Math.max(asked - UNITS_OF_PARTITION, 0);
      this.#waiting[index] = left;
      held += left;
    }
    this.#asked.fill(0);
    this.#throttled += held;
    this.#held = Math.ceil(held / WRITES);
  }

  #noteCheckpoints(): void {
    const { checkpoints } = this.#options;
    while (
      this.#nextCheckpoint < checkpoints.length &&
      this.#totals.messages >= (checkpoints[this.#nextCheckpoint] as number)
    ) {
      this.#checkpoints.push(this.#noted());
      this.#nextCheckpoint += 1;
    }
  }

  #noted(): Totals {
    return { ...this.#totals };
  }
}

function add(counts: Float64Array, index: number, units: number): void {
  counts[index] = (counts[index] as number) + units;
}

const NOTHING: Cost = { queueRequests: 0, tableRequests: 0, writeUnits: 0, readUnits: 0 };

/** Knuth's method for few, the normal distribution for many. */
function poisson(mean: number, random: Random): number {
  if (mean > 50) {
    const gauss = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * gauss));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) count += 1;
  return count;
}
