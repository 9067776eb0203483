import type { SQSRecord } from 'aws-lambda';

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
  readonly #rate: Pick<Rate, 'records' | 'perMs'>;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Pick<Rate, 'records' | 'perMs'>, now: number) {
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
