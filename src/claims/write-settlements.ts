import { type Clock, wait } from '../base/clock.ts';
import { mayPass } from '../base/errors.ts';
import type { QueueMember } from '../base/queue-member.ts';
import type { RequestGroup } from '../base/request-group.ts';
import type { StopSignal } from '../base/stop.ts';
import type { ClaimStore, SettleOutcome, Settlement } from './claim-store.ts';
import { asError, missingOutcome } from './store-errors.ts';

export interface SettlementMember<Note> extends QueueMember {
  /** Called with the notes of its settlements before they are written. */
  readonly onWrite?: (notes: readonly Note[]) => void;
  /** Returns when to stop long retries, in epoch milliseconds; may change. Absent: no long retries. */
  readonly stopsAt?: () => number;
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
  readonly recordIdOf?: (note: Note) => string;
  /** Returns when the lease ends, in epoch milliseconds, if the effect is done; otherwise 0. */
  readonly triedUntil: (note: Note) => number;
}

/** The number of tries for every settlement. */
const FEWEST_WRITES = 4;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** The time left for the last try before the lease or the time is over: enough for a store to refuse it. */
const LAST_WRITE_MS = 1_000;

export type SettlementGroup<Note> = RequestGroup<Settlement, Note, SettleOutcome, SettlementMember<Note>>;

/** Whether the store takes settlements, and the notification when it does not. */
export class Reach<Note> {
  isLost = false;

  noteRefusal(member: SettlementMember<Note>, error: Error): void {
    if (!this.isLost) member.onUnreachable?.(error);
    this.isLost = true;
  }
}

/** Writes a group. Settlements that failed retryably are written again, alone, while there is time. */
export async function writeWithRetries<Note>(
  group: SettlementGroup<Note>,
  options: SettlementQueueOptions<Note>,
  reach: Reach<Note>,
): Promise<void> {
  const { clock, random } = options;
  let pending: readonly number[] = group.indexes;
  for (let write = 1; ; write += 1) {
    pending = await writeOnce(group, pending, write, options, reach);
    if (pending.length === 0) return;
    const backOffMs = random() * Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** write);
    // The wait must not skip the last try.
    const lastAt = Math.min(...pending.map((index) => lastWriteAt(group, index, options)));
    const waitMs = write < FEWEST_WRITES ? backOffMs : Math.min(backOffMs, lastAt - clock.now());
    await wait(clock, waitMs, group.signal);
    pending = pending.filter((index) => group.isWanted(index));
    if (pending.length === 0) return;
  }
}

/** Writes settlements of a group and answers those that are final. Resolves with the others. */
async function writeOnce<Note>(
  group: SettlementGroup<Note>,
  pending: readonly number[],
  write: number,
  options: SettlementQueueOptions<Note>,
  reach: Reach<Note>,
): Promise<number[]> {
  const { items, members, signal } = group;
  const { store, clock } = options;
  const settlements = pending.length === items.length ? items : pending.map((at) => items[at] as Settlement);
  const outcomes = await settleOrErrors(store, settlements, signal);
  const now = clock.now();
  const again: number[] = [];
  const answered: number[] = [];
  const answers: SettleOutcome[] = [];
  for (let position = 0; position < pending.length; position += 1) {
    const index = pending[position] as number;
    const outcome = outcomes[position] ?? { error: missingOutcome() };
    if (typeof outcome === 'string' || !mayBeWrittenLater(outcome)) reach.isLost = false;
    else if (!signal.aborted && (write < FEWEST_WRITES || now < lastWriteAt(group, index, options))) {
      group.note(index, outcome);
      if (write === FEWEST_WRITES) reach.noteRefusal(members[index] as SettlementMember<Note>, outcome.error);
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
function lastWriteAt<Note>(
  { notes, members }: SettlementGroup<Note>,
  index: number,
  { triedUntil }: SettlementQueueOptions<Note>,
): number {
  return Math.min(triedUntil(notes[index] as Note), members[index]?.stopsAt?.() ?? 0) - LAST_WRITE_MS;
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
