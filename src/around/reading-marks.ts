import type {
  AcquireOutcome,
  ClaimRequest,
  OwnedClaim,
  SettleOutcome,
  Settlement,
} from '../claims/claim-store.ts';
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
  | { readonly status: 'unknown'; readonly mark: Mark }
  /** A process died while it read it. */
  | {
      readonly status: 'killer';
      readonly mark: Mark;
      readonly deaths: number;
      readonly mayBeDeferred: boolean;
    }
  | { readonly status: 'refused'; readonly error: Error; readonly isRetryable: boolean };

/** The claim for reading one record, made and not started; undefined: it is read without one. */
export interface Mark {
  readonly claim: (OwnedClaim & { readonly releases: number }) | undefined;
}

/** Of a record that was read, and could not be decoded now. */
const NOT_DECODED = {
  name: 'NotDecoded',
  message: 'It was read but could not be decoded; the next delivery may differ',
};

const UNMARKED: Reading = { status: 'unknown', mark: { claim: undefined } };

/** What has been read. */
export interface EndedMark {
  readonly mark: Mark;
  /** It is known that no other delivery of it ends a process. */
  readonly isHarmless: boolean;
}

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
  /** Of each mark that was to be noted as started: what its request wrote. */
  readonly #starts = new Map<Mark, Promise<ReadonlySet<OwnedClaim>>>();

  constructor(context: BatchContext, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
  }

  /** Claims the reading of all, in one request. Never rejects. */
  async claim(records: readonly BatchRecord[]): Promise<Reading[]> {
    const { store } = this.#context.claims;
    // A store that cannot record starts would blame all of them for one crash: they are read first, without marks.
    if (store.start === undefined) return records.map(() => UNMARKED);
    const requests = new Map<string, ClaimRequest>();
    for (const record of records) {
      const request = requests.has(record.id) ? undefined : this.#requestFor(record);
      if (request !== undefined) requests.set(record.id, request);
    }
    const made = await this.#readingsOf([...requests.values()]);
    const readings = new Map([...requests.keys()].map((id, index) => [id, made[index] as Reading]));
    return records.map(({ id }) => readings.get(id) ?? UNMARKED);
  }

  /** Notes that these are about to be read, in one request. False: it must not be read. Never rejects. */
  async start(marks: readonly Mark[]): Promise<boolean[]> {
    // The same message may be there twice: noted once more, it could come after its end and look as if another had it.
    const unasked = [...new Set(marks)].filter((mark) => !this.#starts.has(mark));
    const noting = this.#noteStarts(unasked);
    for (const mark of unasked) this.#starts.set(mark, noting);
    const noted = await Promise.all(
      marks.map((mark) => this.#starts.get(mark) as Promise<ReadonlySet<OwnedClaim>>),
    );
    return marks.map(({ claim }, index) => claim === undefined || noted[index]?.has(claim) === true);
  }

  /** Those that are known to be written. */
  async #noteStarts(marks: readonly Mark[]): Promise<ReadonlySet<OwnedClaim>> {
    const {
      claims: { store },
      time: { deadline },
    } = this.#context;
    const claims = marks.flatMap(({ claim }) => claim ?? []);
    if (claims.length === 0) return new Set();
    let outcomes: SettleOutcome[];
    try {
      outcomes = (await store.start?.(claims, { signal: deadline.stop })) ?? [];
    } catch {
      outcomes = []; // what is not known to be written must not start
    }
    return new Set(claims.filter((_, index) => outcomes[index] === 'stored'));
  }

  /** The process has survived them: what it did before does not count any more. Never rejects. */
  async end(marks: readonly EndedMark[]): Promise<void> {
    const { completed, failed } = this.#context.claims.rules.retention;
    const harmless = new Map(marks.map(({ mark, isHarmless }) => [mark, isHarmless]));
    await this.#close([...harmless.keys()], (mark, { key, owner }) =>
      harmless.get(mark) === true
        ? { end: 'complete', key, owner, retentionMs: completed }
        : { end: 'fail', key, owner, error: NOT_DECODED, retentionMs: failed },
    );
  }

  /** Gives back what has not been read. Never rejects. */
  async giveBack(): Promise<void> {
    const retentionMs = this.#context.claims.rules.retention.failed;
    await this.#close([...this.#open], (_, { key, owner, releases }) => ({
      end: 'release',
      key,
      owner,
      releases,
      retentionMs,
    }));
  }

  async #close(
    marks: readonly Mark[],
    settlementOf: (mark: Mark, claim: NonNullable<Mark['claim']>) => Settlement,
  ): Promise<void> {
    const settlements = marks.flatMap((mark): Settlement[] =>
      this.#open.delete(mark) && mark.claim !== undefined ? [settlementOf(mark, mark.claim)] : [],
    );
    if (settlements.length > 0) await this.#settle(settlements);
  }

  /** Undefined if the namespace or the id gives no key: then the work has no key either. */
  #requestFor({ id, receiveCount }: BatchRecord): ClaimRequest | undefined {
    const { claims, time } = this.#context;
    const holder = lockedBy(this.#context);
    const key = this.#keyOf(id);
    if (key === undefined) return undefined;
    return {
      key,
      owner: claims.newOwner(),
      leaseMs: time.leaseMs(),
      retentionMs: claims.rules.retention.failed,
      recordsStart: true,
      isRedelivery: receiveCount > 2, // at the first redelivery there is no mark yet
      ...(holder !== undefined && { lockedBy: holder }),
    };
  }

  #keyOf(id: string): string | undefined {
    const prefix = { namespace: () => this.#namespace, version: VERSION };
    try {
      return keyString({ of: 'record', prefix, key: () => id });
    } catch {
      return undefined;
    }
  }

  async #readingsOf(requests: readonly ClaimRequest[]): Promise<Reading[]> {
    const {
      claims: { store },
      time: { deadline },
    } = this.#context;
    let outcomes: (AcquireOutcome | undefined)[];
    try {
      // Not waited for when nothing is read any more: the rest of the time is for giving back what was claimed.
      outcomes = await store.acquire(requests, { signal: deadline.stop });
    } catch (thrown) {
      const error = thrown as Error;
      outcomes = requests.map(() => ({ status: 'error', error }));
    }
    return requests.map((request, index) => this.#readingOf(request, outcomes[index]));
  }

  #readingOf({ key, owner, retentionMs }: ClaimRequest, outcome: AcquireOutcome | undefined): Reading {
    const { settings, claims } = this.#context;
    const { rules, unstarted } = claims;
    switch (outcome?.status) {
      case 'acquired': {
        const { releases, crashes } = outcome;
        const mark = { claim: { key, owner, releases } };
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

  async #settle(settlements: readonly Settlement[]): Promise<void> {
    const { claims, time } = this.#context;
    const { store, rules, unstarted } = claims;
    const retentionMs = rules.retention.failed;
    let outcomes: SettleOutcome[] = [];
    try {
      outcomes = await store.settle(settlements, { signal: time.deadline.answerNow });
    } catch {
      // Noted below.
    }
    settlements.forEach(({ key, owner }, index) => {
      // Left alone, it would look as if the process had died now.
      if (typeof outcomes[index] !== 'string') unstarted.note({ key, owner, retentionMs });
    });
  }
}

function refused(error: Error): Reading {
  return { status: 'refused', error, isRetryable: true };
}
