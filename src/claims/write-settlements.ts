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
  /** When it stops trying for long, in epoch milliseconds; it may change. Absent: it never tries for long. */
  readonly stopsAt?: () => number;
  /** Called when the store has not taken settlements four times: once, until it has answered to one again. */
  readonly onUnreachable?: (error: Error) => void;
}

export interface SettlementQueueOptions<Note> {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1; for the jitter of retries. */
  readonly random: () => number;
  /** How long a settlement waits for others, in milliseconds. */
  readonly lingerMs: number;
  /** The record that a note is about, for members that put a context around requests. */
  readonly recordIdOf?: (note: Note) => string;
  /** The end of the lease of an attempt whose effect is done, in epoch milliseconds; 0 of any other. */
  readonly triedUntil: (note: Note) => number;
}

/** How often everything is written. */
const FEWEST_WRITES = 4;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** What the last write has before the lease, or the time for it, is over: as long as a store takes to say that it is refused. */
const LAST_WRITE_MS = 1_000;

export type SettlementGroup<Note> = RequestGroup<Settlement, Note, SettleOutcome, SettlementMember<Note>>;

/** Whether the store takes settlements, and who is told when it does not. */
export class Reach<Note> {
  isLost = false;

  noteRefusal(member: SettlementMember<Note>, error: Error): void {
    if (!this.isLost) member.onUnreachable?.(error);
    this.isLost = true;
  }
}

/** Writes a group; what fails retryably is written again, alone, as long as there is time for it. */
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
    // The last write is not missed by the length of a wait.
    const lastAt = Math.min(...pending.map((index) => lastWriteAt(group, index, options)));
    const waitMs = write < FEWEST_WRITES ? backOffMs : Math.min(backOffMs, lastAt - clock.now());
    await wait(clock, waitMs, group.signal);
    pending = pending.filter((index) => group.isWanted(index));
    if (pending.length === 0) return;
  }
}

/** Writes these of a group, and answers those that are not to be written again; resolves with the others. */
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
  // Not before all are noted: what an answer brings must not wait for those that are written again.
  group.answer(answered, answers);
  return again;
}

/** When the last write of a settlement may begin, of those that it has beyond the fewest. */
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
    // When the answer has left already, nothing is gained by giving up: the end of an attempt is still worth storing.
    return await store.settle(settlements, signal.aborted ? undefined : { signal });
  } catch (thrown) {
    const error = asError(thrown);
    // rule: rejected-settle
    return settlements.map(() => ({ error }));
  }
}

/** An error that does not say whether it can be retried is retried: a lost completion is worse. */
function mayBeWrittenLater(outcome: SettleOutcome): outcome is Exclude<SettleOutcome, string> {
  return typeof outcome === 'object' && mayPass(outcome.error);
}
