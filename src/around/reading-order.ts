import { waitAtMost } from '../base/clock.ts';
import type { BatchContext } from '../batch/context.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { BatchReading, KeyedRecord } from '../batch/plan.ts';
import type { SourceEntry } from '../sources/source.ts';
import { NotReadError } from './reading-errors.ts';
import { type Mark, type Reading, ReadingMarks } from './reading-marks.ts';

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
export async function readSuspectsFirst(
  batch: BatchReading,
  isSuspect: (record: BatchRecord) => boolean,
  context: BatchContext,
): Promise<KeyedRecord[]> {
  const marks = new ReadingMarks(context, batch.namespace);
  const items = await markSuspects(batch.delivered, isSuspect, marks);
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

async function markSuspects(
  sources: readonly SourceEntry[],
  isSuspect: (record: BatchRecord) => boolean,
  marks: ReadingMarks,
): Promise<Delivered[]> {
  const suspects = sources.flatMap(({ read }) =>
    'record' in read && isSuspect(read.record) ? [read.record] : [],
  );
  const readingOf = await marks.claim(suspects);
  const marked = new Set(suspects);
  return sources.map((source, index) => {
    const { read } = source;
    const isMarked = 'record' in read && marked.has(read.record);
    return { index, source, reading: isMarked ? readingOf(read.record) : { status: 'harmless' } };
  });
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
