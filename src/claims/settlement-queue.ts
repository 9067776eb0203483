import { type Clock, wait } from '../base/clock.ts';
import { mayPass } from '../base/errors.ts';
import type { QueueMember } from '../base/queue-member.ts';
import type { RequestGroup } from '../base/request-group.ts';
import { RequestQueue } from '../base/request-queue.ts';
import type { StopSignal } from '../base/stop.ts';
import { type ClaimStore, DEFAULT_REQUEST_SIZE, type SettleOutcome, type Settlement } from './claim-store.ts';
import { asError, givenUp } from './store-errors.ts';

export interface SettlementMember<Note> extends QueueMember {
  /** Called with the notes of its settlements before they are written. */
  readonly onWrite?: ((notes: readonly Note[]) => void) | undefined;
  /** Returns when to stop long retries, in epoch milliseconds; may change. Absent: no long retries. */
  readonly stopsAt?: (() => number) | undefined;
  /** Called once when settlements have failed four times, until the store has answered again. */
  readonly onUnreachable?: (error: Error) => void;
}

export interface SettlementQueueOptions<Note> {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** Returns a number from 0 up to, not including, 1, for the jitter of retries. */
  readonly random: () => number;
  /** How long a settlement waits for others, in milliseconds. */
  readonly lingerMs: number;
  /** Returns the record of a note, for members that put a context around requests. */
  readonly recordIdOf?: ((note: Note) => string) | undefined;
  /** Returns when the lease ends, in epoch milliseconds, if the effect is done; otherwise 0. */
  readonly triedUntil: (note: Note) => number;
}

/** The number of tries for every settlement. */
const FEWEST_WRITES = 4;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** The time left for the last try before the lease or the time is over: enough for a store to refuse it. */
const LAST_WRITE_MS = 1_000;

type SettlementGroup<Note> = RequestGroup<Settlement, Note, SettleOutcome, SettlementMember<Note>>;

export interface Settlements<Note> {
  /** Stores a settlement. Calls `onAnswer` once, after `settle` has returned; its errors go to `onError`. */
  settle<One extends Note>(
    settlement: Settlement,
    note: One,
    onAnswer: (note: One, outcome: SettleOutcome) => void,
  ): void;
  /** Called when something that could have brought another settlement has ended. */
  flushIfIdle(): void;
  leave(): void;
}

/**
 * A queue that settles attempts of one invocation, and of overlapping invocations of one process, in few
 * requests (`RequestQueue`).
 *
 * A failed settlement is retried with full jitter, four tries in all. If its effect is done, it is retried
 * until its lease or its invocation is nearly over: without the completion, the effect would be repeated.
 */
export class SettlementQueue<Note> {
  readonly #options: SettlementQueueOptions<Note>;
  readonly #queue: RequestQueue<Settlement, Note, SettleOutcome, SettlementMember<Note>>;
  /** Whether members know that the store does not answer. */
  #isUnreachable = false;

  constructor(options: SettlementQueueOptions<Note>) {
    const { store, clock, lingerMs, recordIdOf } = options;
    this.#options = options;
    this.#queue = new RequestQueue<Settlement, Note, SettleOutcome, SettlementMember<Note>>({
      requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
      lingerMs,
      clock,
      send: (group) => this.#write(group),
      givenUp: () => ({ error: givenUp() }),
      recordIdOf,
    });
  }

  join(member: SettlementMember<Note>): Settlements<Note> {
    const { put, flushIfIdle, leave } = this.#queue.join(member);
    // An answer comes with the note of its own settlement.
    return { settle: put as Settlements<Note>['settle'], flushIfIdle, leave };
  }

  /** Writes a group. Settlements that failed retryably are written again, alone, while there is time. */
  async #write(group: SettlementGroup<Note>): Promise<void> {
    const { clock, random } = this.#options;
    callOnWrite(group);
    let pending: readonly number[] = group.indexes;
    for (let write = 1; ; write += 1) {
      pending = await this.#writeOnce(group, pending, write);
      if (pending.length === 0) return;
      const backOffMs = random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** write);
      // The wait must not skip the last try.
      const lastAt = Math.min(...pending.map((index) => this.#lastWriteAt(group, index)));
      const waitMs = write < FEWEST_WRITES ? backOffMs : Math.min(backOffMs, lastAt - clock.now());
      await wait(clock, waitMs, group.signal);
      pending = pending.filter((index) => group.isWanted(index));
      if (pending.length === 0) return;
    }
  }

  /** Writes settlements of a group and answers those that are final. Resolves with the others. */
  async #writeOnce(
    group: SettlementGroup<Note>,
    pending: readonly number[],
    write: number,
  ): Promise<number[]> {
    const { items, members, signal } = group;
    const { store, clock } = this.#options;
    const settlements =
      pending.length === items.length ? items : pending.map((at) => items[at] as Settlement);
    const outcomes = await settleOrErrors(store, settlements, signal);
    const now = clock.now();
    const again: number[] = [];
    const answered: number[] = [];
    const answers: SettleOutcome[] = [];
    for (let position = 0; position < pending.length; position += 1) {
      const index = pending[position] as number;
      const outcome = outcomes[position] as SettleOutcome;
      if (typeof outcome === 'string' || !mayBeWrittenLater(outcome)) this.#isUnreachable = false;
      else if (!signal.aborted && (write < FEWEST_WRITES || now < this.#lastWriteAt(group, index))) {
        group.note(index, outcome);
        if (write === FEWEST_WRITES) this.#noteUnreachable(members[index], outcome.error);
        if (group.isWanted(index)) again.push(index);
        continue;
      }
      answered.push(index);
      answers.push(outcome);
    }
    // After all are noted: what an answer triggers must not wait for those that are written again.
    group.answer(answered, answers);
    return again;
  }

  /** Returns when the last of a settlement's long retries may begin. */
  #lastWriteAt({ notes, members }: SettlementGroup<Note>, index: number): number {
    const leaseUntil = this.#options.triedUntil(notes[index] as Note);
    return Math.min(leaseUntil, members[index]?.stopsAt?.() ?? 0) - LAST_WRITE_MS;
  }

  #noteUnreachable(member: SettlementMember<Note> | undefined, error: Error): void {
    if (!this.#isUnreachable) member?.onUnreachable?.(error);
    this.#isUnreachable = true;
  }
}

/** Calls `onWrite` of each member with the notes of its settlements. */
function callOnWrite<Note>({ notes, members }: SettlementGroup<Note>): void {
  const byMember = new Map<SettlementMember<Note>, Note[]>();
  for (let index = 0; index < members.length; index += 1) {
    const member = members[index] as SettlementMember<Note>;
    if (member.onWrite === undefined) continue;
    const own = byMember.get(member);
    if (own === undefined) byMember.set(member, [notes[index] as Note]);
    else own.push(notes[index] as Note);
  }
  for (const [member, own] of byMember) member.onWrite?.(own);
}

async function settleOrErrors(
  store: ClaimStore,
  settlements: readonly Settlement[],
  signal: StopSignal,
): Promise<SettleOutcome[]> {
  try {
    // If the answer has left already, nothing is gained by giving up: the end is still worth storing.
    return await store.settle(settlements, signal.aborted ? undefined : { signal });
  } catch (thrown) {
    const error = asError(thrown);
    // rule: rejected-settle
    return settlements.map(() => ({ error }));
  }
}

/** Returns whether to retry. Unclassified errors are retried: a lost completion is worse. */
function mayBeWrittenLater(outcome: SettleOutcome): outcome is Exclude<SettleOutcome, string> {
  return typeof outcome === 'object' && mayPass(outcome.error);
}
