import type { Context } from 'aws-lambda';
import type { QueueAccess } from '../base/queue-member.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import { SHARED } from '../claims/pass-on.ts';
import type { Settlements } from '../claims/settlement-queue.ts';
import type { Deadline } from './deadline.ts';

/** The caller of a handler off Lambda, such as the worker. It puts itself into the context of the call. */
export interface Host {
  /** The deadline of this call. A host that is told to stop shortens it. */
  readonly deadline: Deadline;
  /** The longest default lease, so that it has lapsed before a dead process's messages return. */
  readonly longestLeaseMs: number;
  /** Nothing else runs in this process, so a record whose last attempt crashed may run now. */
  readonly isAlone: boolean;
  /** Notes a request to the store. Returns a function to call when it is answered. */
  readonly noteAsked: () => () => void;
  /** Calls a handler, which may outlast the host's wait for the call. */
  readonly runHandler: (handler: () => unknown) => unknown;
  /**
   * Called when all records have their outcomes, before SQS is told when to show messages again: until then
   * the host keeps them invisible. Resolves with the ids (as in the answer) of the records that the host
   * keeps for another call. Several processors may share a call, and each reports its own records.
   */
  beforeHandBack(report: HostReport): Promise<ReadonlySet<string>>;
}

/** The ends of the records of one processor. */
export interface HostReport {
  /** All records, by their ids in the answer. */
  readonly records: readonly string[];
  /** For some records the store did not give a claim, or did not confirm the end. */
  readonly storeFailed: boolean;
  /** The errors of other failed records. */
  readonly errors: readonly unknown[];
  /** The records that come again, by their ids in the answer. */
  readonly handedBack: readonly string[];
  /** Records that must run alone, by id, with their consecutive crashes. They hold no claims. */
  readonly suspects: ReadonlyMap<string, number>;
  /** Records whose key another owner holds, by id, with the end of its lease in epoch milliseconds. */
  readonly conflicts: ReadonlyMap<string, number>;
}

const TAKES_BATCHES = 'takesBatches';

/** Marks a processor whose handler takes many records per call, so that a host collects them. */
export function takingBatches<Processor extends object>(processor: Processor): Processor {
  return Object.defineProperty(processor, TAKES_BATCHES, { value: true });
}

export function takesBatches(processor: object): boolean {
  return TAKES_BATCHES in processor;
}

export function hostedBy(host: Host, context: Context): Context {
  return Object.assign(context, { [SHARED]: host });
}

export function hostOf(context: Context | undefined): Host | undefined {
  return (context as { readonly [SHARED]?: Host } | undefined)?.[SHARED];
}

type Acquires<Note> = QueueAccess<ClaimRequest, Note, AcquireOutcome>;

/** Tells the host of each group of claims until all are answered. */
export function watchedAcquires<Note>(acquires: Acquires<Note>, { noteAsked }: Host): Acquires<Note> {
  return {
    ...acquires,
    putAll(requests, attempts, onAnswer) {
      const answered = noteAsked();
      let unanswered = requests.length;
      acquires.putAll(requests, attempts, (...answer) => {
        unanswered -= 1;
        if (unanswered === 0) answered();
        onAnswer(...answer);
      });
    },
  };
}

/** Tells the host of each settlement until it is answered. */
export function watchedSettlements<Note>(
  settlements: Settlements<Note>,
  { noteAsked }: Host,
): Settlements<Note> {
  return {
    ...settlements,
    settle(settlement, attempt, onAnswer) {
      const answered = noteAsked();
      settlements.settle(settlement, attempt, (...answer) => {
        answered();
        onAnswer(...answer);
      });
    },
  };
}
