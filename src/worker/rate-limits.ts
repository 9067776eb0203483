import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import QuickLRU from 'quick-lru';
import type { Clock } from '../base/clock.ts';
import { type Rate, TokenBucket } from './rate.ts';

/** How many records of a call each keyed rate counts, by the name of the key's bucket. */
export type RateKeys = ReadonlyMap<string, number>;

/**
 * Keys whose rates are remembered; of more, those that were longest not asked for are forgotten, and may start as if they were new.
 * A key whose bucket is full again is the same as a new one, so only a key that is over its rate profits.
 */
const MOST_KEYS = 10_000;
/** Longer keys are known by their hash, so that they do not fill the memory. */
const LONGEST_KEY = 128;

/** All rates of a worker: a record starts when none of them holds it back. */
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

  /** The keys of one record. Throws where a key function throws, or gives no text. */
  keysOf(record: SQSRecord): string[] {
    return this.#keyed.map(({ key }, index) => {
      const text: unknown = key?.(record);
      if (typeof text !== 'string') throw new TypeError(`\`rate.key\` gave ${typeOf(text)}, and no string`);
      return `${index}:${text.length > LONGEST_KEY ? hashOf(text) : text}`;
    });
  }

  /** In how many milliseconds so many may start by the rates of all records; 0: now. */
  sharedWaitMs(count: number): number {
    return this.#shared.reduce((ms, bucket) => Math.max(ms, bucket.waitMs(count, this.#clock.now())), 0);
  }

  /** The first key that holds these back. */
  blockedBy(keys: RateKeys): string | undefined {
    for (const [key, count] of keys) if (this.waitMs(key, count) > 0) return key;
    return undefined;
  }

  /** In how many milliseconds so many of a key may start; 0: now. */
  waitMs(key: string, count: number): number {
    return this.#bucketOf(key).waitMs(count, this.#clock.now());
  }

  /** Milliseconds from one record of this key to the next. */
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
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(this.#rateOf(key), this.#clock.now());
      this.#buckets.set(key, bucket);
    }
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

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
