import type { AcquireOutcome, ClaimRequest, OwnedClaim, Settlement } from '../claims/claim-store.ts';
import { settleOrFail } from '../claims/store-errors.ts';
import { keyString } from '../keys/key-string.ts';
import type { BatchRecord } from '../sources/record.ts';
import { lockedBy } from '../batch/claim.ts';
import type { BatchContext } from '../batch/context.ts';
import { isStoreOutage } from './run-without-claim.ts';
import { NotReadError, ReadingKillsError } from './reading-errors.ts';

/** Goes before the id of a record whose reading is claimed, after the namespace; keys of work have another version. */
const VERSION = 'reading-v1';

/**
 * With `maxCrashes`, the record is not read again after that many crashes, but never after fewer than these: a process
 * that read it and could not store that looks the same, without any fault of the record. Without `maxCrashes` there is no
 * limit: the redrive policy takes a record that keeps killing processes, and its neighbours are done meanwhile.
 */
const MOST_DEATHS = 3;

/** How often a record that has killed a process is left unread to protect its neighbours, before it is read after them. */
const MOST_DEFERRALS = 3;

/** What the store says of reading a record that was received before. */
export type Reading =
  /** It was read before, and the process survived it. */
  | { readonly status: 'harmless' }
  /** Without a mark it is read unmarked. */
  | { readonly status: 'unknown'; readonly mark: Mark | undefined }
  /** A process died while it read it. */
  | {
      readonly status: 'killer';
      readonly mark: Mark;
      readonly deaths: number;
      readonly mayBeDeferred: boolean;
    }
  | { readonly status: 'refused'; readonly error: Error; readonly isRetryable: boolean };

/** The claim for reading one record. */
export interface Mark extends OwnedClaim {
  readonly releases: number;
  /** Once it was to be noted as started: whether it is known to be. */
  started?: Promise<boolean>;
}

/** Of a record that was read, and could not be decoded now. */
const NOT_DECODED = {
  name: 'NotDecoded',
  message: 'It was read but could not be decoded; the next delivery may differ',
};

const UNMARKED: Reading = { status: 'unknown', mark: undefined };

/**
 * Claims for the reading of records, before they have keys of their own: made under the message's id, noted as started
 * before one is read, and completed after it. So a claim that lapsed after its start names the record that killed its
 * process, and a completed one a record that did not.
 */
export class ReadingMarks {
  readonly #context: BatchContext;
  readonly #namespace: string;
  /** Made, and neither completed nor given back. */
  readonly #open = new Set<Mark>();

  constructor(context: BatchContext, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
  }

  /** Claims the reading of all, in one request, and returns what is known of each. Never rejects. */
  async claim(records: readonly BatchRecord[]): Promise<(record: BatchRecord) => Reading> {
    const { claims, time } = this.#context;
    // A store that cannot record starts would blame all of them for one crash: they are read first, without marks.
    if (claims.store.start === undefined) return () => UNMARKED;
    const requests = new Map<string, ClaimRequest>();
    for (const record of records) {
      const request = requests.has(record.id) ? undefined : this.#requestFor(record);
      if (request !== undefined) requests.set(record.id, request);
    }
    // Not waited for when nothing is read any more: the rest of the time is for giving back what was claimed.
    const options = { signal: time.deadline.stop };
    const outcomes = await claims.store
      .acquire([...requests.values()], options)
      .catch((error: Error): AcquireOutcome[] => [...requests].map(() => ({ status: 'error', error })));
    const readings = new Map(
      [...requests].map(([id, request], index) => [id, this.#readingOf(request, outcomes[index])]),
    );
    return ({ id }) => readings.get(id) ?? UNMARKED;
  }

  /** Notes that these are about to be read, in one request. False: it must not be read. Never rejects. */
  start(marks: readonly (Mark | undefined)[]): Promise<boolean[]> {
    // The same message may be there twice: noted once more, it could come after its end and look as if another had it.
    const unasked = new Set<Mark>();
    for (const mark of marks) if (mark !== undefined && mark.started === undefined) unasked.add(mark);
    const noted = this.#noteStarts([...unasked]);
    for (const mark of unasked) mark.started = noted.then((written) => written.has(mark));
    return Promise.all(marks.map(async (mark) => mark?.started ?? true));
  }

  /** Those that are known to be written: no other may start. */
  async #noteStarts(marks: readonly Mark[]): Promise<ReadonlySet<Mark>> {
    const { claims, time } = this.#context;
    if (marks.length === 0) return new Set();
    try {
      const outcomes = await claims.store.start?.(marks, { signal: time.deadline.stop });
      return new Set(marks.filter((_, index) => outcomes?.[index] === 'stored'));
    } catch {
      return new Set();
    }
  }

  /** The process has survived reading them. True: no other delivery of it ends a process either. Never rejects. */
  async end(marks: ReadonlyMap<Mark, boolean>): Promise<void> {
    const { completed, failed } = this.#context.claims.rules.retention;
    await this.#close([...marks.keys()], (mark) =>
      marks.get(mark) === true
        ? { end: 'complete', retentionMs: completed }
        : { end: 'fail', error: NOT_DECODED, retentionMs: failed },
    );
  }

  /** Gives back what has not been read. Never rejects. */
  async giveBack(): Promise<void> {
    const retentionMs = this.#context.claims.rules.retention.failed;
    await this.#close([...this.#open], ({ releases }) => ({ end: 'release', releases, retentionMs }));
  }

  async #close(marks: readonly Mark[], endOf: (mark: Mark) => WithoutClaim<Settlement>): Promise<void> {
    const { claims, time } = this.#context;
    const settlements = marks
      .filter((mark) => this.#open.delete(mark))
      .map((mark): Settlement => ({ key: mark.key, owner: mark.owner, ...endOf(mark) }));
    if (settlements.length === 0) return;
    const options = { signal: time.deadline.answerNow };
    const outcomes = await settleOrFail(settlements, claims.store.settle(settlements, options));
    const retentionMs = claims.rules.retention.failed;
    settlements.forEach(({ key, owner }, index) => {
      // Left alone, it would look as if the process had died now.
      if (typeof outcomes[index] !== 'string') claims.unstarted.note({ key, owner, retentionMs });
    });
  }

  /** Undefined if the namespace or the id gives no key: then the work has no key either. */
  #requestFor({ id, receiveCount }: BatchRecord): ClaimRequest | undefined {
    const { claims, time } = this.#context;
    const holder = lockedBy(this.#context);
    const prefix = { namespace: () => this.#namespace, version: VERSION };
    try {
      return {
        key: keyString({ of: 'record', prefix, key: () => id }),
        owner: claims.newOwner(),
        leaseMs: time.leaseMs(),
        retentionMs: claims.rules.retention.failed,
        recordsStart: true,
        isRedelivery: receiveCount > 2, // at the first redelivery there is no mark yet
        ...(holder !== undefined && { lockedBy: holder }),
      };
    } catch {
      return undefined;
    }
  }

  #readingOf({ key, owner, retentionMs }: ClaimRequest, outcome: AcquireOutcome | undefined): Reading {
    const { settings, claims } = this.#context;
    const { rules, unstarted } = claims;
    switch (outcome?.status) {
      case 'acquired': {
        const { releases, crashes } = outcome;
        const mark: Mark = { key, owner, releases };
        this.#open.add(mark);
        if (crashes === 0) return { status: 'unknown', mark };
        return crashes < Math.max(rules.maxCrashes ?? Infinity, MOST_DEATHS)
          ? { status: 'killer', mark, deaths: crashes, mayBeDeferred: releases < MOST_DEFERRALS }
          : { status: 'refused', error: new ReadingKillsError(crashes), isRetryable: false };
      }
      case 'duplicate':
        return { status: 'harmless' };
      case 'error':
        unstarted.note({ key, owner, retentionMs });
        // Where records run without a claim, they are read without one.
        if (settings.onStoreError !== undefined && isStoreOutage(outcome.error)) return UNMARKED;
        return refused(new NotReadError('store', { cause: outcome.error }));
      case 'conflict':
        return refused(new NotReadError('elsewhere'));
      case 'parked':
      case 'mismatch':
      case undefined:
        return refused(new NotReadError('store')); // no such rows are written under these keys
    }
  }
}

/** Of each kind of settlement. */
type WithoutClaim<Kind> = Kind extends Settlement ? Omit<Kind, 'key' | 'owner'> : never;

function refused(error: Error): Reading {
  return { status: 'refused', error, isRetryable: true };
}
