import { type Clock, wait } from './clock.ts';
import { type ClaimStore, DEFAULT_REQUEST_SIZE, type SettleOutcome, type Settlement } from './claim-store.ts';
import { mayPass } from './errors.ts';
import { type QueueMember, type RequestGroup, RequestQueue } from './request-queue.ts';
import { endedBy, type StopSignal } from './stop.ts';
import { asError, givenUp, missingOutcome } from './store-errors.ts';

/**
 * Settles many attempts in few requests: those of one invocation, and those of invocations that run at the same time
 * in one process (`RequestQueue` says what waits for what).
 *
 * A settlement that the store could not write is tried again with full jitter: the effect behind it is done, and a
 * completion that is not stored means that it will be done again.
 */
export interface SettlementQueue<Note> {
  /** The queue for one invocation or call. */
  join(member: SettlementMember<Note>): Settlements<Note>;
}

interface SettlementMember<Note> extends QueueMember {
  /** Called with the notes of its settlements before they are written. */
  readonly onWrite: (notes: readonly Note[]) => void;
}

export interface Settlements<Note> {
  /**
   * Resolves with what `answerOf`, which must not throw, makes of what became of the settlement; never rejects. The note
   * is for `onWrite`.
   */
  settle<Answer>(
    settlement: Settlement,
    note: Note,
    answerOf: (outcome: SettleOutcome) => Answer,
  ): Promise<Answer>;
  /** To be called when something that could have brought another settlement has ended. */
  flushIfIdle(): void;
  /** To be called when the invocation or call is over. */
  leave(): void;
}

export interface SettlementQueueOptions {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1; for the jitter of retries. */
  readonly random: () => number;
  /** How long a settlement waits for others, in milliseconds. */
  readonly lingerMs: number;
}

const WRITE_ATTEMPTS = 4;
const FIRST_RETRY_MS = 50;

interface Noted<Note> {
  readonly settlement: Settlement;
  readonly note: Note;
  readonly member: SettlementMember<Note>;
}

export function createSettlementQueue<Note>(options: SettlementQueueOptions): SettlementQueue<Note> {
  const { store, clock, lingerMs } = options;
  const queue = new RequestQueue<Noted<Note>, SettleOutcome>({
    requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
    lingerMs,
    clock,
    keyOf: ({ settlement }) => settlement.key,
    send(group) {
      tellMembers(group.items);
      return writeWithRetries(group, options);
    },
    givenUp: () => ({ error: givenUp() }),
  });
  return {
    join(member) {
      const { add, flushIfIdle, leave } = queue.join(member);
      return {
        settle: <Answer>(settlement: Settlement, note: Note, answerOf: (outcome: SettleOutcome) => Answer) =>
          add([{ settlement, note, member }], answerOf)[0] as Promise<Answer>,
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

/** Writes a group; what fails retryably is written again, alone, a bounded number of times. */
async function writeWithRetries<Note>(
  group: RequestGroup<Noted<Note>, SettleOutcome>,
  { store, clock, random }: Pick<SettlementQueueOptions, 'store' | 'clock' | 'random'>,
): Promise<void> {
  const { items, signal } = group;
  let pending = items.map((_, index) => index);
  for (let attempt = 1; ; attempt += 1) {
    const outcomes = await settleOrErrors(
      store,
      pending.map((index) => (items[index] as Noted<Note>).settlement),
      signal,
    );
    const isLast = attempt === WRITE_ATTEMPTS || signal.aborted;
    pending = pending.filter((index, position) => {
      const outcome = outcomes[position] ?? { error: missingOutcome() };
      const isTriedAgain = !isLast && mayBeWrittenLater(outcome);
      if (isTriedAgain) group.note(index, outcome);
      else group.answer(index, outcome);
      return isTriedAgain && group.isWanted(index);
    });
    if (pending.length === 0) return;
    await wait(clock, random() * FIRST_RETRY_MS * 2 ** attempt, signal);
    pending = pending.filter((index) => group.isWanted(index));
    if (pending.length === 0) return;
  }
}

async function settleOrErrors(
  store: ClaimStore,
  settlements: readonly Settlement[],
  signal: StopSignal,
): Promise<SettleOutcome[]> {
  try {
    return await store.settle(settlements, endedBy(signal));
  } catch (thrown) {
    const error = asError(thrown);
    return settlements.map(() => ({ error }));
  }
}

/** An error that does not say whether it can be retried is retried: a lost completion is worse. */
function mayBeWrittenLater(outcome: SettleOutcome): boolean {
  return typeof outcome === 'object' && mayPass(outcome.error);
}
