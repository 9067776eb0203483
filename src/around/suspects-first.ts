import { waitAtMost } from '../base/clock.ts';
import type { BatchContext, ReadingPolicy, Settings } from '../batch/context.ts';
import type { BatchReading, KeyedRecord } from '../batch/plan.ts';
import { LONG_TEXT } from '../sources/json-text.ts';
import type { SourceEntry } from '../sources/source.ts';
import { NotReadError } from './reading-errors.ts';
import { type Mark, type Reading, ReadingMarks } from './reading-marks.ts';

/**
 * Returns the policy for `reading` that reads redelivered SQS messages first, one after the other, if reading
 * them (`decode`, `key`, `namespace`, `payloadValidation`) could have killed the process. Marks in the claims
 * table record which message was being read, so a message that kills its process does not fail its neighbours
 * at every delivery. A redelivered message costs three writes and a round trip once; first deliveries cost
 * nothing.
 *
 * @example
 * createBatchProcessor(handler, {
 *   decode: decoder((data, record, { signal }) => decrypt(data, record.attributes, signal)),
 *   reading: suspectsFirst(),
 * });
 */
export function suspectsFirst(): ReadingPolicy {
  return {
    option: 'reading',
    read(batch, context) {
      const danger = dangerOf(context.settings);
      const suspects = batch.delivered.filter((entry) => isSuspect(entry, danger));
      return suspects.length > 0 ? readSuspectsFirst(batch, new Set(suspects), context) : undefined;
    },
  };
}

/** Which records may kill the process while they are read: none, those with long texts, or any. */
type Danger = 'none' | 'long' | 'any';

/** Returns which records are dangerous: only decoders and the user's functions are unbounded. */
function dangerOf({ decode, key, namespace, payloadValidation, routing }: Settings): Danger {
  if (decode.some(({ kind }) => kind === 'decoder') || typeof namespace === 'function') return 'any';
  const efforts = new Set([
    key.effort,
    payloadValidation === undefined ? 'none' : payloadValidation.effort,
    ...(routing === undefined ? [] : routing.efforts),
  ]);
  if (efforts.has(undefined)) return 'any';
  return decode.length > 0 || efforts.has('bounded') ? 'long' : 'none';
}

/** Returns whether the record has been received before and could have killed the process. */
function isSuspect({ read }: SourceEntry, danger: Danger): boolean {
  if (danger === 'none' || !('record' in read) || read.record.receiveCount === 1) return false;
  return danger === 'any' || read.record.rawBody.length > LONG_TEXT;
}

/** A record before `decode`, with its position in the batch. */
interface Delivered {
  readonly index: number;
  readonly source: SourceEntry;
  readonly reading: Reading;
}

type Suspect = Delivered & {
  readonly reading: { readonly mark: Mark | undefined; readonly deaths?: number };
};

/** Bounds the reading time of a batch of 10,000: each round waits for its marks to be written. */
const MOST_ROUNDS = 10;

/** How long a round delays the next one. A slower round is waiting for a service, not using the processor. */
const PATIENCE_MS = 250;

/**
 * Reads the suspects of a batch first, each under a mark (`ReadingMarks`) and in at most ten rounds; then all
 * other records as usual. No handler runs before all are read. A mark identifies the record that kills the
 * process, which is left unread while other records of its batch can complete.
 */
async function readSuspectsFirst(
  batch: BatchReading,
  marked: ReadonlySet<SourceEntry>,
  context: BatchContext,
): Promise<KeyedRecord[]> {
  const marks = new ReadingMarks(context, batch.namespace);
  const readingOf = await marks.claim(
    [...marked].flatMap(({ read }) => ('record' in read ? read.record : [])),
  );
  const items = batch.delivered.map((source, index): Delivered => {
    const isMarked = marked.has(source) && 'record' in source.read;
    return { index, source, reading: isMarked ? readingOf(source.read.record) : { status: 'harmless' } };
  });
  const reader = new Reader(batch, marks, context.time);
  const hasCompany = items.some(({ reading: { status } }) => status === 'harmless' || status === 'unknown');
  const suspects: Suspect[] = [];
  for (const item of items) {
    const { reading } = item;
    if (reading.status === 'refused') reader.leave(item, reading.error, reading.isRetryable);
    else if (reading.status === 'killer' && hasCompany && reading.mayBeDeferred) {
      reader.leave(item, new NotReadError('killed'));
    } else if (reading.status !== 'harmless') suspects.push({ ...item, reading });
  }
  const deathsOf = ({ reading: { deaths = 0 } }: Suspect): number => deaths;
  await reader.readInRounds(suspects.toSorted((a, b) => deathsOf(a) - deathsOf(b)));
  await reader.readTogether(items.filter(({ reading }) => reading.status === 'harmless'));
  await marks.giveBack();
  return reader.records.toSorted((a, b) => a.index - b.index);
}

class Reader {
  readonly records: KeyedRecord[] = [];
  readonly #batch: BatchReading;
  readonly #marks: ReadingMarks;
  readonly #time: BatchContext['time'];
  /** Marks of records that were read, to be ended with the next round. */
  #ended = new Map<Mark, boolean>();

  constructor(batch: BatchReading, marks: ReadingMarks, time: BatchContext['time']) {
    this.#batch = batch;
    this.#marks = marks;
    this.#time = time;
  }

  async readInRounds(suspects: readonly Suspect[]): Promise<void> {
    const size = Math.ceil(suspects.length / MOST_ROUNDS);
    const rounds: Promise<void>[] = [];
    for (let start = 0; start < suspects.length; start += size) {
      const round = this.#readMarked(suspects.slice(start, start + size));
      rounds.push(round);
      await waitAtMost(this.#time.clock, PATIENCE_MS, round);
    }
    await Promise.all(rounds);
    await this.#marks.end(this.#ended);
  }

  async readTogether(items: readonly Delivered[]): Promise<KeyedRecord[]> {
    const sources = await this.#batch.read(items.map(({ source }) => source));
    const records = items.map(({ index }, at) => this.#batch.key(sources[at] as SourceEntry, index));
    this.records.push(...records);
    return records;
  }

  leave({ source, index }: Delivered, error: Error, isRetryable = true): void {
    const delivered = 'record' in source.read ? { delivered: source.read.record } : {};
    this.records.push(this.#batch.key({ ...source, read: { error, isRetryable, ...delivered } }, index));
  }

  async #readMarked(items: readonly Suspect[]): Promise<void> {
    if (this.#time.deadline.stop.aborted) {
      for (const item of items) this.leave(item, new NotReadError('time'));
      return;
    }
    const ended = this.#ended;
    this.#ended = new Map();
    const [mayStart] = await Promise.all([
      this.#marks.start(items.map(({ reading }) => reading.mark)),
      this.#marks.end(ended),
    ]);
    const started: Suspect[] = [];
    for (const [at, item] of items.entries()) {
      if (mayStart[at] === true) started.push(item);
      else this.leave(item, new NotReadError('elsewhere'));
    }
    const records = await this.readTogether(started);
    for (const [at, { reading }] of started.entries()) {
      // A record that failed now may be decoded, or kill its process, at the next delivery.
      if (reading.mark !== undefined)
        this.#ended.set(reading.mark, records[at]?.outcome?.status !== 'failed');
    }
  }
}
