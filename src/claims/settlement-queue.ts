import { type Clock, wait } from '../base/clock.ts';
import { type ClaimStore, DEFAULT_REQUEST_SIZE, type SettleOutcome, type Settlement } from './claim-store.ts';
import { mayPass } from '../base/errors.ts';
import { type QueueMember, type RequestGroup, RequestQueue } from '../base/request-queue.ts';
import type { StopSignal } from '../base/stop.ts';
import { asError, givenUp, missingOutcome } from './store-errors.ts';

/**
 * Settles many attempts in few requests: those of one invocation, and those of invocations that run at the same time
 * in one process (`RequestQueue` says what waits for what).
 *
 * A settlement that the store could not write is tried again with full jitter, four times in all. One with an effect
 * behind it is tried until its lease or its invocation is nearly over: the effect is done, and a completion that is not
 * stored means that it will be done again.
 */
export interface SettlementQueue<Note> {
  /** The queue for one invocation or call. */
  join(member: SettlementMember<Note>): Settlements<Note>;
}

interface SettlementMember<Note> extends QueueMember {
  /** Called with the notes of its settlements before they are written. */
  readonly onWrite: (notes: readonly Note[]) => void;
  /** When it stops trying for long, in epoch milliseconds; it may change. Absent: it never tries for long. */
  readonly stopsAt?: () => number;
  /** Called when the store has not taken settlements four times: once, until it has answered to one again. */
  readonly onUnreachable?: (error: Error) => void;
}

export interface Settlements<Note> {
  /**
   * Resolves with what `answerOf`, which must not throw, makes of what became of the settlement; never rejects. The note
   * is for `onWrite`. `triedUntil`, in epoch milliseconds, is the end of the lease of an attempt whose effect is done.
   */
  settle<Answer>(
    settlement: Settlement,
    note: Note,
    answerOf: (outcome: SettleOutcome) => Answer,
    triedUntil?: number,
  ): Promise<Answer>;
  /** To be called when something that could have brought another settlement has ended. */
  flushIfIdle(): void;
  /** To be called when the invocation or call is over. */
  leave(): void;
}

export interface SettlementQueueOptions<Note> {
  /** The record that a note is about, for members that put a context around requests. */
  readonly recordIdOf?: (note: Note) => string;
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1; for the jitter of retries. */
  readonly random: () => number;
  /** How long a settlement waits for others, in milliseconds. */
  readonly lingerMs: number;
}

/** How often everything is written. */
const FEWEST_WRITES = 4;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** What the last write has before the lease, or the time for it, is over: as long as a store takes to say that it is refused. */
const LAST_WRITE_MS = 1_000;

interface Noted<Note> {
  readonly settlement: Settlement;
  readonly note: Note;
  readonly member: SettlementMember<Note>;
  readonly triedUntil: number;
}

/** Whether the store takes settlements, and who is told when it does not. */
class Reach<Note> {
  #isLost = false;

  noteAnswer(): void {
    this.#isLost = false;
  }

  noteRefusal(member: SettlementMember<Note>, error: Error): void {
    if (!this.#isLost) member.onUnreachable?.(error);
    this.#isLost = true;
  }
}

export function createSettlementQueue<Note>(options: SettlementQueueOptions<Note>): SettlementQueue<Note> {
  const { store, clock, lingerMs, recordIdOf } = options;
  const reach = new Reach<Note>();
  const queue = new RequestQueue<Noted<Note>, SettleOutcome>({
    requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
    lingerMs,
    clock,
    keyOf: ({ settlement }) => settlement.key,
    ...(recordIdOf !== undefined && { recordIdOf: ({ note }) => recordIdOf(note) }),
    send(group) {
      tellMembers(group.items);
      return writeWithRetries(group, options, reach);
    },
    givenUp: () => ({ error: givenUp() }),
  });
  return {
    join(member) {
      const { add, flushIfIdle, leave } = queue.join(member);
      return {
        settle: <Answer>(
          settlement: Settlement,
          note: Note,
          answerOf: (outcome: SettleOutcome) => Answer,
          triedUntil = 0,
        ) => add([{ settlement, note, member, triedUntil }], answerOf)[0] as Promise<Answer>,
        flushIfIdle,
        leave,
      };
    },
  };
}

function tellMembers<Note>(items: readonly Noted<Note>[]): void {
  const first = items[0]?.member;
  if (items.every(({ member }) => member === first)) {
    first?.onWrite(items.map(({ note }) => note));
    return;
  }
  const byMember = new Map<SettlementMember<Note>, Note[]>();
  for (const { member, note } of items) {
    const notes = byMember.get(member);
    if (notes === undefined) byMember.set(member, [note]);
    else notes.push(note);
  }
  for (const [member, notes] of byMember) member.onWrite(notes);
}

/** Writes a group; what fails retryably is written again, alone, as long as there is time for it. */
async function writeWithRetries<Note>(
  group: RequestGroup<Noted<Note>, SettleOutcome>,
  options: SettlementQueueOptions<Note>,
  reach: Reach<Note>,
): Promise<void> {
  const { clock, random } = options;
  let pending = group.items.map((_, index) => index);
  for (let write = 1; ; write += 1) {
    pending = await writeOnce(group, pending, write, options, reach);
    if (pending.length === 0) return;
    const backOffMs = random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** write);
    // The last write is not missed by the length of a wait.
    const lastAt = Math.min(...pending.map((index) => lastWriteAt(group.items[index] as Noted<Note>)));
    const waitMs = write < FEWEST_WRITES ? backOffMs : Math.min(backOffMs, lastAt - clock.now());
    await wait(clock, waitMs, group.signal);
    pending = pending.filter((index) => group.isWanted(index));
    if (pending.length === 0) return;
  }
}

/** Writes these of a group, and answers those that are not to be written again; resolves with the others. */
async function writeOnce<Note>(
  { items, signal, answer, note, isWanted }: RequestGroup<Noted<Note>, SettleOutcome>,
  pending: readonly number[],
  write: number,
  { store, clock }: SettlementQueueOptions<Note>,
  reach: Reach<Note>,
): Promise<number[]> {
  const itemOf = (index: number): Noted<Note> => items[index] as Noted<Note>;
  const settlements = pending.map((index) => itemOf(index).settlement);
  const outcomes = await settleOrErrors(store, settlements, signal);
  const now = clock.now();
  return pending.filter((index, position) => {
    const outcome = outcomes[position] ?? { error: missingOutcome() };
    const item = itemOf(index);
    if (!mayBeWrittenLater(outcome)) reach.noteAnswer();
    else if (!signal.aborted && (write < FEWEST_WRITES || now < lastWriteAt(item))) {
      note(index, outcome);
      if (write === FEWEST_WRITES) reach.noteRefusal(item.member, outcome.error);
      return isWanted(index);
    }
    answer(index, outcome);
    return false;
  });
}

/** When the last write of a settlement may begin, of those that it has beyond the fewest. */
function lastWriteAt<Note>({ triedUntil, member }: Noted<Note>): number {
  return Math.min(triedUntil, member.stopsAt?.() ?? 0) - LAST_WRITE_MS;
}

async function settleOrErrors(
  store: ClaimStore,
  settlements: readonly Settlement[],
  signal: StopSignal,
): Promise<SettleOutcome[]> {
  try {
    // When the answer has left already, nothing is gained by giving up: the end of an attempt is still worth storing.
    return await store.settle(settlements, signal.aborted ? undefined : { signal });
  } catch (thrown) {
    const error = asError(thrown);
    return settlements.map(() => ({ error }));
  }
}

/** An error that does not say whether it can be retried is retried: a lost completion is worse. */
function mayBeWrittenLater(outcome: SettleOutcome): outcome is Exclude<SettleOutcome, string> {
  return typeof outcome === 'object' && mayPass(outcome.error);
}
