import { type Clock, waitAtMost } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { BatchReading, KeyedRecord } from '../batch/plan.ts';
import type { SourceEntry } from '../sources/source.ts';
import { NotReadError } from './reading-errors.ts';
import type { EndedMark, Mark, Reading, ReadingMarks } from './reading-marks.ts';

/** How records are read, and what is known of those that came again. */
export interface ReadingSteps extends Pick<BatchReading, 'read' | 'key'> {
  readonly marks: ReadingMarks;
  readonly clock: Clock;
  /** Nothing is read any more once it is aborted. */
  readonly stop: StopSignal;
}

/** A record as it was delivered, with its place in the batch. */
interface Delivered {
  readonly index: number;
  readonly source: SourceEntry;
  readonly reading: Reading;
}

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
  delivered: readonly SourceEntry[],
  isSuspect: (record: BatchRecord) => boolean,
  steps: ReadingSteps,
): Promise<KeyedRecord[]> {
  const items = await markSuspects(delivered, isSuspect, steps.marks);
  const reader = new Reader(steps);
  const hasCompany = items.some(({ reading: { status } }) => status === 'harmless' || status === 'unknown');
  const suspects: Suspect[] = [];
  for (const item of items) {
    const { reading } = item;
    if (reading.status === 'refused') reader.leave(item, reading.error, reading.isRetryable);
    else if (reading.status === 'killer' && hasCompany && reading.mayBeDeferred) {
      reader.leave(item, new NotReadError('killed'));
    } else if (reading.status !== 'harmless') suspects.push({ ...item, reading });
  }
  await reader.readInRounds(suspects.toSorted((a, b) => deathsOf(a) - deathsOf(b)));
  await reader.readTogether(items.filter(({ reading }) => reading.status === 'harmless'));
  await steps.marks.giveBack();
  return reader.records.toSorted((a, b) => a.index - b.index);
}

type Suspect = Delivered & { readonly reading: { readonly mark: Mark; readonly deaths?: number } };

class Reader {
  readonly records: KeyedRecord[] = [];
  readonly #steps: ReadingSteps;
  /** Read, and their marks not ended yet. */
  #ended: EndedMark[] = [];

  constructor(steps: ReadingSteps) {
    this.#steps = steps;
  }

  async readInRounds(suspects: readonly Suspect[]): Promise<void> {
    const size = Math.ceil(suspects.length / MOST_ROUNDS);
    const rounds: Promise<void>[] = [];
    for (let start = 0; start < suspects.length; start += size) {
      const round = this.#readMarked(suspects.slice(start, start + size));
      rounds.push(round);
      await waitAtMost(this.#steps.clock, PATIENCE_MS, round);
    }
    await Promise.all(rounds);
    await this.#steps.marks.end(this.#ended);
  }

  async readTogether(items: readonly Delivered[]): Promise<KeyedRecord[]> {
    const sources = await this.#steps.read(items.map(({ source }) => source));
    const records = items.map(({ index }, at) => this.#steps.key(sources[at] as SourceEntry, index));
    this.records.push(...records);
    return records;
  }

  /** Hands it back unread. */
  leave({ source, index }: Delivered, error: Error, isRetryable = true): void {
    const delivered = 'record' in source.read ? { delivered: source.read.record } : {};
    this.records.push(this.#steps.key({ ...source, read: { error, isRetryable, ...delivered } }, index));
  }

  async #readMarked(items: readonly Suspect[]): Promise<void> {
    const { marks, stop } = this.#steps;
    if (stop.aborted) {
      for (const item of items) this.leave(item, new NotReadError('time'));
      return;
    }
    const ended = this.#ended;
    this.#ended = [];
    const [mayStart] = await Promise.all([
      marks.start(items.map(({ reading }) => reading.mark)),
      marks.end(ended),
    ]);
    const isStarted = (_: Suspect, at: number): boolean => mayStart[at] === true;
    for (const item of items.filter((_, at) => mayStart[at] !== true)) {
      this.leave(item, new NotReadError('elsewhere'));
    }
    const started = items.filter(isStarted);
    const records = await this.readTogether(started);
    started.forEach(({ reading: { mark } }, at) => {
      this.#ended.push({ mark, isHarmless: isHarmless(records[at] as KeyedRecord) });
    });
  }
}

async function markSuspects(
  sources: readonly SourceEntry[],
  isSuspect: (record: BatchRecord) => boolean,
  marks: ReadingMarks,
): Promise<Delivered[]> {
  const suspects = sources.flatMap(({ read }) =>
    'record' in read && isSuspect(read.record) ? [read.record] : [],
  );
  const readings = await marks.claim(suspects);
  const ofRecord = new Map<BatchRecord, Reading>();
  suspects.forEach((record, at) => ofRecord.set(record, readings[at] as Reading));
  return sources.map((source, index) => {
    const reading = 'record' in source.read ? ofRecord.get(source.read.record) : undefined;
    return { index, source, reading: reading ?? { status: 'harmless' } };
  });
}

/** Whether its end says that no other delivery of it ends the process; one that may be another next time does not. */
function isHarmless({ outcome }: KeyedRecord): boolean {
  return outcome?.status !== 'failed';
}

function deathsOf({ reading: { deaths = 0 } }: Suspect): number {
  return deaths;
}
