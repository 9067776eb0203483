import type { Context } from 'aws-lambda';
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

const HOST: unique symbol = Symbol.for('batchlatch.host');

/** The context of a call that this host makes. */
export function hostedBy(host: Host, context: Context): Context {
  return Object.assign(context, { [HOST]: host });
}

export function hostOf(context: Context | undefined): Host | undefined {
  return (context as { readonly [HOST]?: Host } | undefined)?.[HOST];
}
