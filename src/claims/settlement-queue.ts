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
 * A queue that settles attempts of one invocation, and of overlapping invocations of one process, in few
 * requests (`RequestQueue`).
 *
 * A failed settlement is retried with full jitter, four tries in all. If its effect is done, it is retried
 * until its lease or its invocation is nearly over: without the completion, the effect would be repeated.
 */
export interface SettlementQueue<Note> {
  join(member: SettlementMember<Note>): Settlements<Note>;
}

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
      // An answer comes with the note of its own settlement.
      return { settle: put as Settlements<Note>['settle'], flushIfIdle, leave };
    },
  };
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
