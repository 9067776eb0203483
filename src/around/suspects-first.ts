import { waitAtMost } from '../base/clock.ts';
import type { BatchContext, ReadingPolicy, Settings } from '../batch/context.ts';
import type { BatchReading, KeyedRecord } from '../batch/plan.ts';
import { LONG_TEXT } from '../sources/json-text.ts';
import type { SourceEntry } from '../sources/source.ts';
import { NotReadError } from './reading-errors.ts';
import { type Mark, type Reading, ReadingMarks } from './reading-marks.ts';

/**
 * For `reading`: SQS messages that came again, and whose reading (`decode`, `key`, `namespace`, `payloadValidation`) could
 * have ended the process, are read before the others and one after the other, under marks in the claims table. So a message
 * that ends the process in its reading does not take its neighbours along at every delivery. It costs three writes and a round trip
 * for such a message, once; a first delivery costs nothing.
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

/** Which records may end the process while they are read: none, those with long texts, or any. */
type Danger = 'none' | 'long' | 'any';

/**
 * How dangerous it is to read records with these settings. What the library does by itself is bounded; a decoder may make
 * anything of a payload, and functions of the user may never return.
 */
function dangerOf({ decode, key, namespace, payloadValidation }: Settings): Danger {
  if (decode.some(({ kind }) => kind === 'decoder') || typeof namespace === 'function') return 'any';
  const efforts = new Set([key.effort, payloadValidation === undefined ? 'none' : payloadValidation.effort]);
  if (efforts.has(undefined)) return 'any';
  return decode.length > 0 || efforts.has('bounded') ? 'long' : 'none';
}

/** Whether the record has been received before, for an unknown reason, and could end the process. */
function isSuspect({ read }: SourceEntry, danger: Danger): boolean {
  if (danger === 'none' || !('record' in read) || read.record.receiveCount === 1) return false;
  return danger === 'any' || read.record.rawBody.length > LONG_TEXT;
}

/** A record as it was delivered, with its place in the batch. */
interface Delivered {
  readonly index: number;
  readonly source: SourceEntry;
  readonly reading: Reading;
}

type Suspect = Delivered & {
  readonly reading: { readonly mark: Mark | undefined; readonly deaths?: number };
};

/** A batch of 10,000 has to be read within the time of its function, and each mark is waited for. */
const MOST_ROUNDS = 10;

/** How long one round keeps the next one waiting: what takes longer waits for a service, and not for the processor. */
const PATIENCE_MS = 250;

/**
 * Reads a batch in which records came again that may have ended the process while they were read: these first, each by
 * itself under a mark (`ReadingMarks`), of more than ten at most a tenth together; then all others, as in every batch.
 * Nothing runs before all is read. So the one that ends the process is known by its mark when the batch comes again, and
 * is then left unread as long as others are there that can be done and acknowledged. Gives the records in the batch's order.
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
  /** Read, and their marks not ended yet. */
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

  /** Hands it back unread. */
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
      // One that failed now may be another at its next delivery.
      if (reading.mark !== undefined)
        this.#ended.set(reading.mark, records[at]?.outcome?.status !== 'failed');
    }
  }
}
