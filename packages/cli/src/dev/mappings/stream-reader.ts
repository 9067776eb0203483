import { type Clock, wait } from '../../tool-base/clock.ts';
import { isRefusal } from '../services/local-call.ts';
import { passesFilters } from '../patterns/passes-filters.ts';
import type { StreamPosition, StreamRecord, StreamSource } from './stream-source.ts';

export interface StreamReaderOptions {
  readonly source: StreamSource;
  readonly shardId: string;
  readonly position: StreamPosition;
  readonly batchSize: number;
  readonly windowMs: number;
  readonly filters: readonly unknown[];
  readonly clock: Clock;
  readonly onTrouble: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** The records of one invocation, and the position in the shard after them. */
export interface StreamBatch {
  /** Empty if the filters dropped all records. */
  readonly records: readonly StreamRecord[];
  /** The last sequence number that was read, also of a dropped record. */
  readonly until: string;
}

const POLL_MS = 250;
const TROUBLE_PAUSE_MS = 1_000;

/** A reader of one shard in order. Like Lambda, it gathers a batch until it is full or its window is over. */
export class StreamReader {
  readonly #options: StreamReaderOptions;
  #iterator: string | undefined;
  #position: StreamPosition;
  #hasEnded = false;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** Resolves to the next batch; undefined when the shard has ended or the mapping is stopped. */
  async next(): Promise<StreamBatch | undefined> {
    const { batchSize, windowMs, clock, signal } = this.#options;
    const records: StreamRecord[] = [];
    let until: string | undefined;
    let sinceMs: number | undefined;
    // A partial batch at a stop is read again: the checkpoint is before it.
    while (!signal.aborted) {
      const read = await this.#read(batchSize - records.length);
      until = read.at(-1)?.sequenceNumber ?? until;
      records.push(...read.filter((record) => this.#passes(record)));
      if (records.length > 0) sinceMs ??= clock.now();
      const leftMs = sinceMs === undefined ? 0 : sinceMs + windowMs - clock.now();
      const isOver = records.length >= batchSize || leftMs <= 0 || this.#hasEnded;
      if (isOver && until !== undefined) return { records, until };
      if (this.#hasEnded) return undefined;
      if (read.length === 0) await wait(clock, leftMs > 0 ? Math.min(POLL_MS, leftMs) : POLL_MS, signal);
    }
    return undefined;
  }

  #passes({ filtered: { value, payload } }: StreamRecord): boolean {
    return passesFilters(this.#options.filters, value, payload);
  }

  async #read(limit: number): Promise<readonly StreamRecord[]> {
    const { source, shardId, clock, onTrouble, signal } = this.#options;
    if (this.#hasEnded) return [];
    try {
      this.#iterator ??= await source.iterator(shardId, this.#position);
      const { records, next } = await source.read(shardId, this.#iterator, limit);
      const last = records.at(-1);
      if (last !== undefined) this.#position = { after: last.sequenceNumber };
      this.#iterator = next;
      this.#hasEnded = next === undefined;
      return records;
    } catch (error) {
      // A refused iterator may have expired: get a new one for the same position. Without an answer it stays,
      // because a new one at LATEST would skip the records since.
      if (isRefusal(error)) this.#iterator = undefined;
      onTrouble(error);
      await wait(clock, TROUBLE_PAUSE_MS, signal);
      return [];
    }
  }
}
