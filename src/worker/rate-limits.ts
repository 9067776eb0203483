import QuickLRU from 'quick-lru';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { HandlerBatch, HeldMessage, RateKeys } from './held-message.ts';

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
      return `${index}:${text.length > LONGEST_KEY ? hash('sha256', text) : text}`;
    });
  }

  /** In how many milliseconds so many may start by the rates of all records; 0: now. */
  sharedWaitMs(count: number): number {
    return this.#shared.reduce((ms, bucket) => Math.max(ms, bucket.waitMs(count, this.#clock.now())), 0);
  }

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

/** A batch with what keyed rates count. */
export interface KeyedBatch {
  readonly batch: HandlerBatch;
  /** Messages that are not in it: the first that has no key, and those behind it. */
  readonly left: readonly HeldMessage[];
  readonly error?: unknown;
}

/** Asks the key functions of rates about each record of a batch. `event`: it as the handler is to get it. */
export function withRateKeys(
  batch: HandlerBatch,
  rates: RateLimits | undefined,
  event: () => SQSEvent,
): KeyedBatch {
  if (rates?.hasKeys !== true) return { batch, left: [] };
  const rateKeys = new Map<string, number>();
  const { Records } = event();
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

/** How many records may start in a time. */
export interface Rate {
  /** Records: so many may start at once, and then evenly. */
  readonly records: number;
  /** In so many milliseconds. */
  readonly perMs: number;
  /**
   * What the rate is of, such as a customer: each text has a rate of its own. A record for which it throws, or gives no text, is not
   * run, and comes again. Default: the rate is of all records together.
   *
   * @param record The message.
   */
  readonly key?: (record: SQSRecord) => string;
}

/** A token bucket (RFC 2697's, with one rate): it holds as many as may start at once, and fills evenly. */
export class TokenBucket {
  readonly #rate: Omit<Rate, 'key'>;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Omit<Rate, 'key'>, now: number) {
    this.#rate = rate;
    this.#tokens = rate.records;
    this.#filledAt = now;
  }

  /** In how many milliseconds so many may start; 0: now. More than it ever holds may start when it is full, and are owed. */
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
    const passedMs = Math.max(now - this.#filledAt, 0); // a clock that is set back takes no tokens away
    this.#tokens = Math.min(records, this.#tokens + (passedMs * records) / perMs);
    this.#filledAt = now;
  }
}
