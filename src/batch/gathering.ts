import { BatchAnswerError } from './errors.ts';
import type { BatchHandler, BatchItem } from './batch-handler.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { RecordHandler } from './record-handler.ts';

interface Waiting extends BatchItem {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a handler of single records out of one of batches: each record's call waits until nobody is left who
 * could join it, then the batch handler is called once for all who wait. So leases, deadlines, message groups
 * and settlements are the same for both kinds of handler.
 */
export class Gathering {
  readonly #handler: BatchHandler;
  readonly #places: ReadonlyMap<BatchRecord | undefined, number>;
  readonly #expected: () => number;
  readonly #waiting: Waiting[] = [];

  /** `records` are those of the batch, in its order; `expected` says how many calls can wait at most now. */
  constructor(handler: BatchHandler, records: readonly (BatchRecord | undefined)[], expected: () => number) {
    this.#handler = handler;
    this.#places = new Map(records.map((record, index) => [record, index]));
    this.#expected = expected;
  }

  readonly join: RecordHandler = (record, context) =>
    new Promise((resolve, reject) => {
      this.#waiting.push({ record, context, resolve, reject });
      this.callIfComplete();
    });

  /** To be called when something that could have joined has ended. */
  callIfComplete(): void {
    if (this.#waiting.length > 0 && this.#waiting.length >= this.#expected()) void this.#call();
  }

  /** Nothing is started any more: whoever waits is not called. */
  stop(reason: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  async #call(): Promise<void> {
    const placeOf = ({ record }: Waiting): number => this.#places.get(record) ?? 0;
    // Claims are answered in requests side by side, in any order.
    const items = this.#waiting.splice(0).sort((a, b) => placeOf(a) - placeOf(b));
    try {
      const answer = await this.#handler(items.map(({ record, context }) => ({ record, context })));
      if (answer !== undefined && (!Array.isArray(answer) || answer.length !== items.length)) {
        throw new BatchAnswerError(items.length, answer);
      }
      items.forEach(({ resolve, reject }, index) => {
        const result: unknown = answer?.[index];
        if (result instanceof Error) reject(result);
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of items) reject(error);
    }
  }
}
