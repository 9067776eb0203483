import type { Context } from 'aws-lambda';
import type { QueueAccess } from '../base/queue-member.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import type { Settlements } from '../claims/settlement-queue.ts';
import type { Deadline } from './deadline.ts';

/** What runs a handler where Lambda does not. It gives itself in the context. */
export interface Host {
  /** The end of this call: a host may be told to stop, and then ends earlier than it knew. */
  readonly deadline: Deadline;
  /** The longest default lease. After the death of a process no message comes again before a lease of this length is over. */
  readonly longestLeaseMs: number;
  /** Nothing else runs in this process, so a record whose last attempt died may run now. */
  readonly isAlone: boolean;
  /** The store is asked for claims, or for a settlement. Returns what is called when it has answered. */
  readonly noteAsked: () => () => void;
  /** Calls a handler. It may end after the host has given up waiting for its call. */
  readonly runHandler: (handler: () => unknown) => unknown;
  /**
   * To be called when all records have their outcomes, and before the queue is told when to show messages again: until then the host
   * keeps them invisible. Resolves with the records that the host keeps and calls with again, by the ids of the answer.
   */
  beforeHandBack(report: HostReport): Promise<ReadonlySet<string>>;
}

/** What a host learns of how records ended, beside which are acknowledged. */
export interface HostReport {
  /** Of some the store did not say whether they may run, or does not know how they ended. */
  readonly storeFailed: boolean;
  /** What made others fail. */
  readonly errors: readonly unknown[];
  /** What comes again, by the ids that the answer to Lambda will name. */
  readonly handedBack: readonly string[];
  /** Records that have to run alone, by those ids: how many of their attempts died in a row. They hold no claims. */
  readonly suspects: ReadonlyMap<string, number>;
  /** Records whose key another owner holds, by those ids: when its lease ends, in epoch milliseconds. */
  readonly conflicts: ReadonlyMap<string, number>;
}

const TAKES_BATCHES = 'takesBatches';

/** Marks a processor whose handler does the work of many records in one call, so that a host collects them. */
export function takingBatches<Processor extends object>(processor: Processor): Processor {
  return Object.defineProperty(processor, TAKES_BATCHES, { value: true });
}

export function takesBatches(processor: object): boolean {
  return TAKES_BATCHES in processor;
}

/**
 * What the copies of this package in one process have in common is under this symbol: the host of a call on its context, the
 * users of default namespaces on `globalThis`.
 */
export const SHARED: unique symbol = Symbol.for('batchlatch');

/** The context of a call that this host makes. */
export function hostedBy(host: Host, context: Context): Context {
  return Object.assign(context, { [SHARED]: host });
}

export function hostOf(context: Context | undefined): Host | undefined {
  return (context as { readonly [SHARED]?: Host } | undefined)?.[SHARED];
}

type Acquires<Note> = QueueAccess<ClaimRequest, Note, AcquireOutcome>;

/** Has the host hear of each group of claims until all of it is answered. */
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

/** Has the host hear of each settlement until it is answered. */
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
