import type { BatchRecord } from '../sources/record.ts';
import type { SourceBatch, SourceEntry } from '../sources/source-batch.ts';
import type { Entry } from './entry.ts';
import { NotReadError } from './errors.ts';
import { isAcknowledged } from './outcomes.ts';
import { coalesce } from './plan.ts';
import type { Mark, Reading, ReadingMarks } from './reading-marks.ts';
import { lanesOf } from './schedule.ts';
import { eventOf } from './suspects.ts';

/** The steps that all parts of a batch go through. */
export interface PartSteps {
  /** Reads an event of some of the records. */
  read(event: unknown): SourceBatch | Promise<SourceBatch>;
  /** Gives a record its key. */
  plan(source: SourceEntry, index: number): Entry;
  /** Runs and settles what has been read; returns when all of it has its outcome, or the time is over. */
  run(entries: readonly Entry[]): Promise<void>;
  readonly marks: ReadingMarks;
  /** Nothing is read any more once it is aborted. */
  readonly stop: AbortSignal;
}

/** A record as it was delivered, with its place in the batch. */
interface Delivered {
  readonly index: number;
  readonly lane: string | undefined;
  readonly source: SourceEntry;
  /** Undefined for what may be read with others. */
  readonly reading: Exclude<Reading, { status: 'harmless' }> | undefined;
}

type Killer = Delivered & { readonly reading: Extract<Reading, { status: 'killer' }> };

/**
 * Runs a batch in which records came again that may have ended the process while they were read. First what was not
 * received before, and what is known to be harmless, as every batch runs. Then the suspects, each read by itself under a
 * mark (`ReadingMarks`) and all of them run together. Last what has killed a process, alone, and only while nothing of
 * this batch is done: its answer would be lost with the process. A lane goes as a whole, in its order, with its most
 * dangerous record. Gives the entries in the batch's order.
 */
export async function runInReadingOrder(
  event: unknown,
  delivered: SourceBatch,
  isSuspect: (record: BatchRecord) => boolean,
  steps: PartSteps,
): Promise<Entry[]> {
  const order = new ReadingOrder(event, steps);
  const lanes = lanesOf(await markSuspects(delivered.entries, isSuspect, steps.marks));
  const isHeld = (lane: readonly Delivered[]): boolean => lane.some(({ reading }) => reading !== undefined);
  await order.runTogether(inOrder(lanes.filter((lane) => !isHeld(lane)).flat()));

  const held = lanes.filter(isHeld);
  await order.runSuspects(inOrder(held.flatMap((lane) => lane.slice(0, firstKiller(lane)))));

  const tails = held.map((lane) => lane.slice(firstKiller(lane))).filter(({ length }) => length > 0);
  const deaths = ([killer]: readonly Delivered[]): number => (killer as Killer).reading.deaths;
  for (const tail of tails.toSorted((a, b) => deaths(a) - deaths(b))) await order.runKiller(tail);

  await steps.marks.giveBack();
  return order.entries.toSorted((a, b) => a.index - b.index);
}

class ReadingOrder {
  readonly entries: Entry[] = [];
  readonly #event: unknown;
  readonly #steps: PartSteps;

  constructor(event: unknown, steps: PartSteps) {
    this.#event = event;
    this.#steps = steps;
  }

  async runTogether(items: readonly Delivered[]): Promise<void> {
    await this.#run(await this.#readTogether(items));
  }

  async runSuspects(items: readonly Delivered[]): Promise<void> {
    const entries = await this.#readTogether(items.filter(({ reading }) => reading === undefined));
    let last: { mark: Mark; isHarmless: boolean } | undefined;
    for (const item of items) {
      const { reading } = item;
      if (reading === undefined) continue;
      if (reading.status === 'refused') {
        entries.push(this.#unread(item, reading.error, reading.isRetryable));
        continue;
      }
      const entry = await this.#readMarked(item, reading.mark, last);
      entries.push(entry);
      last = { mark: reading.mark, isHarmless: isHarmless(entry) };
    }
    if (last !== undefined) await this.#steps.marks.end(last.mark, last.isHarmless);
    await this.#run(entries);
  }

  /** What stands behind it in its lane is handed back unread: it comes again at once, and in order. */
  async runKiller([killer, ...behind]: readonly Delivered[]): Promise<void> {
    const item = killer as Killer;
    const rest = behind.map((later) => this.#unread(later, new NotReadError('order')));
    await this.#run([await this.#readKiller(item), ...rest]);
  }

  async #readKiller(item: Killer): Promise<Entry> {
    const { mark, mayBeDeferred } = item.reading;
    const before = this.entries.filter(({ lane }) => lane !== undefined && lane === item.lane);
    if (before.some(({ outcome }) => !isAcknowledged(outcome))) {
      return this.#unread(item, new NotReadError('order'));
    }
    if (mayBeDeferred && this.entries.some(({ outcome }) => isAcknowledged(outcome))) {
      return this.#unread(item, new NotReadError('killed'));
    }
    const entry = await this.#readMarked(item, mark);
    await this.#steps.marks.end(mark, isHarmless(entry));
    return entry;
  }

  async #readTogether(items: readonly Delivered[]): Promise<Entry[]> {
    const sources = await this.#read(items);
    return items.map(({ index }, position) => this.#steps.plan(sources[position] as SourceEntry, index));
  }

  async #readMarked(
    item: Delivered,
    mark: Mark,
    before?: { mark: Mark; isHarmless: boolean },
  ): Promise<Entry> {
    const { marks, stop, plan } = this.#steps;
    if (stop.aborted) return this.#unread(item, new NotReadError('time'));
    if (!(await marks.startAfter(mark, before))) return this.#unread(item, new NotReadError('elsewhere'));
    const [source] = await this.#read([item]);
    return plan(source as SourceEntry, item.index);
  }

  /** What is damaged as it was delivered stays so; a part of nothing else would be an event that nobody knows. */
  async #read(items: readonly Delivered[]): Promise<SourceEntry[]> {
    const readable = items.filter(({ source }) => 'record' in source.read);
    if (readable.length === 0) return items.map(({ source }) => source);
    const some = eventOf(
      this.#event,
      readable.map(({ index }) => index),
    );
    const { entries } = await this.#steps.read(some);
    const read = new Map(readable.map(({ index }, position) => [index, entries[position] as SourceEntry]));
    return items.map(({ index, source }) => read.get(index) ?? source);
  }

  async #run(given: readonly Entry[]): Promise<void> {
    if (given.length === 0) return;
    const entries = given.toSorted((a, b) => a.index - b.index);
    coalesce(entries);
    this.entries.push(...entries);
    await this.#steps.run(entries);
  }

  #unread({ source, index }: Delivered, error: Error, isRetryable = true): Entry {
    const delivered = 'record' in source.read ? { delivered: source.read.record } : {};
    return this.#steps.plan({ ...source, read: { error, isRetryable, ...delivered } }, index);
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
  const ofRecord = new Map(suspects.map((record, index) => [record, readings[index] as Reading]));
  return sources.map((source, index) => {
    const reading = 'record' in source.read ? ofRecord.get(source.read.record) : undefined;
    return {
      index,
      lane: source.lane,
      source,
      reading: reading?.status === 'harmless' ? undefined : reading,
    };
  });
}

/** Its end says that no other delivery of it harms the process; an end that may be another next time says nothing. */
function isHarmless({ outcome }: Entry): boolean {
  return outcome?.status !== 'failed';
}

function firstKiller(lane: readonly Delivered[]): number {
  const index = lane.findIndex(({ reading }) => reading?.status === 'killer');
  return index === -1 ? lane.length : index;
}

function inOrder(items: readonly Delivered[]): Delivered[] {
  return items.toSorted((a, b) => a.index - b.index);
}
