import { RequestQueue } from '../base/request-queue.ts';
import { DEFAULT_REQUEST_SIZE, type SettleOutcome, type Settlement } from './claim-store.ts';
import { givenUp } from './store-errors.ts';
import {
  Reach,
  type SettlementGroup,
  type SettlementMember,
  type SettlementQueueOptions,
  writeWithRetries,
} from './write-settlements.ts';

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

export interface Settlements<Note> {
  /**
   * Stores a settlement, and calls `onAnswer` once with its note and what became of it, after `settle` has returned. What
   * `onAnswer` throws goes to the member's `onError`.
   */
  settle<One extends Note>(
    settlement: Settlement,
    note: One,
    onAnswer: (note: One, outcome: SettleOutcome) => void,
  ): void;
  /** To be called when something that could have brought another settlement has ended. */
  flushIfIdle(): void;
  /** To be called when the invocation or call is over. */
  leave(): void;
}

export function createSettlementQueue<Note>(options: SettlementQueueOptions<Note>): SettlementQueue<Note> {
  const { store, clock, lingerMs, recordIdOf } = options;
  const reach = new Reach<Note>();
  const queue = new RequestQueue<Settlement, Note, SettleOutcome, SettlementMember<Note>>({
    requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
    lingerMs,
    clock,
    send(group) {
      callOnWrite(group);
      return writeWithRetries(group, options, reach);
    },
    givenUp: () => ({ error: givenUp() }),
    ...(recordIdOf !== undefined && { recordIdOf }),
  });
  return {
    join(member) {
      const { put, flushIfIdle, leave } = queue.join(member);
      // The note that an answer comes with is the one that went with its settlement.
      return { settle: put as Settlements<Note>['settle'], flushIfIdle, leave };
    },
  };
}

/** Calls `onWrite` of each member with the notes of its own settlements. */
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
