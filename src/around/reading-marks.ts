import type { AcquireOutcome, ClaimRequest, OwnedClaim, Settlement } from '../claims/claim-store.ts';
import { settleOrFail } from '../claims/store-errors.ts';
import { keyString } from '../keys/key-string.ts';
import type { BatchRecord } from '../sources/record.ts';
import { lockedBy } from '../batch/claim.ts';
import type { BatchContext } from '../batch/context.ts';
import { isStoreOutage } from './run-without-claim.ts';
import { NotReadError, ReadingKillsError } from './reading-errors.ts';

/** The version of the keys of marks, after the namespace. Keys of work have another one. */
const VERSION = 'reading-v1';

/**
 * The fewest crashes after which `maxCrashes` leaves a record unread: one may only mean that the process
 * could not store that it had read it. Without `maxCrashes`, the redrive policy removes such records.
 */
const MOST_DEATHS = 3;

/** How often a record that killed a process is left unread, before it is read after its neighbours. */
const MOST_DEFERRALS = 3;

/** The store's answer to the claim for reading a redelivered record. */
export type Reading =
  /** A process has read it before and survived. */
  | { readonly status: 'harmless' }
  /** Nothing is known. Without a mark, the record is read unmarked. */
  | { readonly status: 'unknown'; readonly mark: Mark | undefined }
  /** A process died while reading it. */
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
  /** Set once the start is being written: whether that succeeded. */
  started?: Promise<boolean>;
}

const NOT_DECODED = {
  name: 'NotDecoded',
  message: 'It was read but could not be decoded; the next delivery may differ',
};

const UNMARKED: Reading = { status: 'unknown', mark: undefined };

/**
 * The claims for reading records whose keys are not known yet. A mark is claimed under the message's ID,
 * started before the record is read and completed afterwards. One that lapses in between names a killer.
 */
export class ReadingMarks {
  readonly #context: BatchContext;
  readonly #namespace: string;
  /** Claimed, but neither completed nor released. */
  readonly #open = new Set<Mark>();

  constructor(context: BatchContext, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
  }

  /** Claims all marks in one request and returns the state of each record. Never rejects. */
  async claim(records: readonly BatchRecord[]): Promise<(record: BatchRecord) => Reading> {
    const { claims, time } = this.#context;
    // Without recorded starts, one crash would implicate every record of the batch, so none is marked.
    if (claims.store.start === undefined) return () => UNMARKED;
    const requests = new Map<string, ClaimRequest>();
    for (const record of records) {
      const request = requests.has(record.id) ? undefined : this.#requestFor(record);
      if (request !== undefined) requests.set(record.id, request);
    }
    // Stops waiting at the deadline: the time after it is for releasing claims.
    const options = { signal: time.deadline.stop };
    const outcomes = await claims.store
      .acquire([...requests.values()], options)
      .catch((error: Error): AcquireOutcome[] => [...requests].map(() => ({ status: 'error', error })));
    const readings = new Map(
      [...requests].map(([id, request], index) => [id, this.#readingOf(request, outcomes[index])]),
    );
    return ({ id }) => readings.get(id) ?? UNMARKED;
  }

  /** Writes in one request that these records will be read. False: do not read the record. Never rejects. */
  start(marks: readonly (Mark | undefined)[]): Promise<boolean[]> {
    // A message may be in the batch twice; a second start after the end would look like another owner's.
    const unasked = new Set<Mark>();
    for (const mark of marks) if (mark !== undefined && mark.started === undefined) unasked.add(mark);
    const noted = this.#noteStarts([...unasked]);
    for (const mark of unasked) mark.started = noted.then((written) => written.has(mark));
    return Promise.all(marks.map(async (mark) => mark?.started ?? true));
  }

  /** Returns the marks whose start was stored; only those records may be read. */
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

  /** Ends the marks of records that were read (false: decoding failed). Never rejects. */
  async end(marks: ReadonlyMap<Mark, boolean>): Promise<void> {
    const { completed, failed } = this.#context.claims.rules.retention;
    await this.#close([...marks.keys()], (mark) =>
      marks.get(mark) === true
        ? { end: 'complete', retentionMs: completed }
        : { end: 'fail', error: NOT_DECODED, retentionMs: failed },
    );
  }

  /** Releases the marks of unread records. Never rejects. */
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
      // If left in the store, the mark would look like a crash.
      if (typeof outcomes[index] !== 'string') claims.unstarted.note({ key, owner, retentionMs });
    });
  }

  /** Returns undefined if the namespace or the ID makes no valid key; the work then has no key either. */
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
        isRedelivery: receiveCount > 2, // the first redelivery finds no mark yet
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
        // With `onStoreError`, records run without a claim, so they are read without one too.
        if (settings.onStoreError !== undefined && isStoreOutage(outcome.error)) return UNMARKED;
        return refused(new NotReadError('store', { cause: outcome.error }));
      case 'conflict':
        return refused(new NotReadError('elsewhere'));
      case 'parked':
      case 'mismatch':
      case undefined:
        return refused(new NotReadError('store')); // such rows are never written under these keys
    }
  }
}

type WithoutClaim<Kind> = Kind extends Settlement ? Omit<Kind, 'key' | 'owner'> : never;

function refused(error: Error): Reading {
  return { status: 'refused', error, isRetryable: true };
}
