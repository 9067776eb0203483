import type { Attempt } from '../attempts/attempt.ts';
import type { HeldClaim } from '../attempts/held-claim.ts';
import type { AcquireOutcome } from '../claims/claim-store.ts';
import type { BatchRecord } from '../sources/record.ts';
import { isPermanentEnd, type RecordOutcome } from './outcomes.ts';

/** What an entry learns when it asks for its claim. `not-requested`: time was up before its turn. */
export type ClaimAnswer =
  | { readonly status: 'held'; readonly attempt: Attempt }
  | Exclude<AcquireOutcome, { readonly status: 'acquired' }>
  | { readonly status: 'not-requested' };

/** What observers know a record by: its own name, or its place. */
export function recordIdOf(itemIdentifier: string | undefined, index: number): string {
  return itemIdentifier ?? `record ${index}`;
}

/** A record on its way through one invocation. Its outcome is set once; until then it counts as failed. */
export class Entry {
  readonly index: number;
  readonly itemIdentifier: string | undefined;
  readonly lane: string | undefined;
  /** Undefined for what cannot be read; such an entry starts with its outcome, as does one that cannot be decoded. */
  readonly record: BatchRecord | undefined;
  key = '';
  payloadHash: string | undefined;
  /** The earlier entry of this batch with the same key and payload, which runs for both. */
  leader: Entry | undefined;
  /** The earlier entry with the same key and another payload: two claims of one key never stand in one request. */
  behind: Entry | undefined;
  /** The follower that runs in this entry's stead, where this one was handed back unstarted for its group's sake. */
  heir: Entry | undefined;
  claim: HeldClaim | undefined;
  isClaimOpen = false;
  /** What `ClaimsAhead` has asked for it; undefined: nothing yet. */
  claimRequest: 'requested' | 'withdrawn' | undefined = undefined;
  /** The answer to that, until it is taken. */
  claimAnswer: Promise<ClaimAnswer> | undefined = undefined;
  /** Whether it counts among the claims that were asked for and have not ended. */
  isClaimUnfinished = false;
  /** Called when it has its outcome. */
  onFinish: ((recordId: string, outcome: string) => void) | undefined = undefined;
  /** How many attempts died in a row, of an entry that is put off for that. */
  deaths = 0;
  /** The host of this invocation calls with it again: the queue is told nothing of it. */
  isKeptByHost = false;
  #outcome: RecordOutcome | undefined;
  #isPutOff = false;
  #listeners: (() => void)[] | undefined;

  constructor(
    index: number,
    itemIdentifier: string | undefined,
    lane: string | undefined,
    record: BatchRecord | undefined,
  ) {
    this.index = index;
    this.itemIdentifier = itemIdentifier;
    this.lane = lane;
    this.record = record;
  }

  get outcome(): RecordOutcome | undefined {
    return this.#outcome;
  }

  /** The claim whose lease is still live, as far as this process knows. */
  get heldClaim(): HeldClaim | undefined {
    return this.isClaimOpen ? this.claim : undefined;
  }

  /** What observers know the record by. */
  get recordId(): string {
    return recordIdOf(this.itemIdentifier, this.index);
  }

  finish(outcome: RecordOutcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.onFinish?.(this.recordId, outcome.status);
    this.#tell();
  }

  /** The dead-letter queue has taken it. */
  noteDeadLettered(): void {
    if (isPermanentEnd(this.#outcome)) this.#outcome = { ...this.#outcome, isDeadLettered: true };
  }

  /** It will run after the others, alone. `deaths`: of the entry that has to. */
  putOff(deaths: number = 0): void {
    this.deaths = deaths;
    this.#isPutOff = true;
    this.#tell();
  }

  /** Resolves once the entry has its outcome or has been put off. */
  whenFinishedOrPutOff(): Promise<void> {
    if (this.#outcome !== undefined || this.#isPutOff) return Promise.resolve();
    return new Promise((resolve) => {
      (this.#listeners ??= []).push(resolve);
    });
  }

  #tell(): void {
    const listeners = this.#listeners;
    this.#listeners = undefined;
    listeners?.forEach((listener) => listener());
  }
}
