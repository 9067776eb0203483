import QuickLRU from 'quick-lru';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { HandlerBatch, HeldMessage, RateKeys } from './held-message.ts';

/** The most keys to keep. The least recently used start as new, which helps only keys over their rate. */
const MOST_KEYS = 10_000;
/** Longer keys are hashed, to save memory. */
const LONGEST_KEY = 128;

/** All rates of a worker. A record starts when every rate allows it. */
export class RateLimits {
  readonly #clock: Clock;
  readonly #shared: readonly TokenBucket[];
  readonly #keyed: readonly Rate[];
  readonly #buckets = new QuickLRU<string, TokenBucket>({ maxSize: MOST_KEYS });

  constructor(rates: readonly Rate[], clock: Clock) {
    this.#clock = clock;
    this.#shared = rates
      .filter(({ key }) => key === undefined)
      .map((rate) => new TokenBucket(rate, clock.now()));
    this.#keyed = rates.filter(({ key }) => key !== undefined);
  }

  get hasKeys(): boolean {
    return this.#keyed.length > 0;
  }

  /** Returns the keys of a record. Throws if a key function throws or does not return a string. */
  keysOf(record: SQSRecord): string[] {
    return this.#keyed.map(({ key }, index) => {
      const text: unknown = key?.(record);
      if (typeof text !== 'string')
        throw new TypeError(`\`rate.key\` returned ${typeOf(text)}: it must return a string`);
      return `${index}:${text.length > LONGEST_KEY ? hash('sha256', text) : text}`;
    });
  }

  /** Returns the delay, in milliseconds, until the rates without a key allow `count` records; 0: now. */
  sharedWaitMs(count: number): number {
    return this.#shared.reduce((ms, bucket) => Math.max(ms, bucket.waitMs(count, this.#clock.now())), 0);
  }

  blockedBy(keys: RateKeys): string | undefined {
    for (const [key, count] of keys) if (this.waitMs(key, count) > 0) return key;
    return undefined;
  }

  /** Returns the delay, in milliseconds, until the key's rate allows `count` records; 0: now. */
  waitMs(key: string, count: number): number {
    return this.#bucketOf(key).waitMs(count, this.#clock.now());
  }

  /** Returns the milliseconds from one record of this key to the next. */
  paceMs(key: string): number {
    const { perMs, records } = this.#rateOf(key);
    return perMs / records;
  }

  take(count: number, keys: RateKeys | undefined): void {
    const now = this.#clock.now();
    for (const bucket of this.#shared) bucket.take(count, now);
    for (const [key, ofKey] of keys ?? []) this.#bucketOf(key).take(ofKey, now);
  }

  #bucketOf(key: string): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(this.#rateOf(key), this.#clock.now());
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #rateOf(key: string): Rate {
    return this.#keyed[Number.parseInt(key, 10)] as Rate;
  }
}

function typeOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  return value === null ? 'null' : typeof value;
}

/** A batch with the keys of its rates. */
export interface KeyedBatch {
  readonly batch: HandlerBatch;
  /** Messages left out of it: the first one whose key function failed, and those behind it. */
  readonly left: readonly HeldMessage[];
  readonly error?: unknown;
}

/**
 * Calls the key functions of the rates for the records of one receive. `isFifo`: the later batches of a group
 * are left with its first message that failed.
 */
export function withRateKeys(
  batches: readonly HandlerBatch[],
  rates: RateLimits | undefined,
  isFifo: boolean,
  eventOf: (held: readonly HeldMessage[]) => SQSEvent,
): KeyedBatch[] {
  if (rates?.hasKeys !== true) return batches.map((batch) => ({ batch, left: [] }));
  const stopped = new Set<string | undefined>();
  return batches.map((batch) => {
    if (isFifo && stopped.has(batch.group)) return { batch: { ...batch, held: [] }, left: batch.held };
    const keyed = keyedBatch(batch, rates, eventOf(batch.held));
    if (keyed.left.length > 0) stopped.add(batch.group);
    return keyed;
  });
}

function keyedBatch(batch: HandlerBatch, rates: RateLimits, { Records }: SQSEvent): KeyedBatch {
  const rateKeys = new Map<string, number>();
  for (const [index, record] of Records.entries()) {
    try {
      for (const key of rates.keysOf(record)) rateKeys.set(key, (rateKeys.get(key) ?? 0) + 1);
    } catch (error) {
      const held = batch.held.slice(0, index);
      return { batch: { ...batch, held, rateKeys }, left: batch.held.slice(index), error };
    }
  }
  return { batch: { ...batch, rateKeys }, left: [] };
}

/** The most records that may start in a period. */
export interface Rate {
  /** The number of records. As many may start at once; then they start evenly. */
  readonly records: number;
  /** The period, in milliseconds. */
  readonly perMs: number;
  /**
   * Returns the key whose rate this is, such as a customer. Each key has a rate of its own. A record for
   * which it throws or returns no string is not run, and is delivered again. Default: one rate for all
   * records.
   *
   * @param record The message.
   */
  readonly key?: (record: SQSRecord) => string;
}

/** A token bucket (RFC 2697, with one rate): it holds up to `records` tokens and fills evenly. */
export class TokenBucket {
  readonly #rate: Omit<Rate, 'key'>;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Omit<Rate, 'key'>, now: number) {
    this.#rate = rate;
    this.#tokens = rate.records;
    this.#filledAt = now;
  }

  /** Returns the delay, in milliseconds, until `count` may start. More than `records` are owed. */
  waitMs(count: number, now: number): number {
    this.#fill(now);
    const { records, perMs } = this.#rate;
    const missing = Math.min(count, records) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing * perMs) / records);
  }

  take(count: number, now: number): void {
    this.#fill(now);
    this.#tokens -= count;
  }

  #fill(now: number): void {
    const { records, perMs } = this.#rate;
    const passedMs = Math.max(now - this.#filledAt, 0); // the clock may be set back
    this.#tokens = Math.min(records, this.#tokens + (passedMs * records) / perMs);
    this.#filledAt = now;
  }
}
