import type { Clock } from '../base/clock.ts';
import type { HandlerBatch } from './held-message.ts';
import type { RateLimits } from './rate-limits.ts';
import type { CallSize } from './ready-batches.ts';

export interface SchedulerSetup {
  /** Batches in calls of the handler at once, to begin with. */
  readonly limit: number;
  /** Undefined: the next call gets one batch. */
  readonly callSize: () => CallSize | undefined;
  /** Of them, of one message group. */
  readonly perGroup: number;
  /** Messages that wait for a slot, so that one that becomes free has work at once. */
  readonly ahead: number;
  /** Messages that wait for others of their group, or for their key's rate. */
  readonly aside: number;
  /** Whether a group's messages keep their order: then one that waits for its key's rate holds its group up. */
  readonly isFifo: boolean;
  readonly clock: Clock;
  readonly rates: RateLimits | undefined;
  /** Whether anything may start now; `startAll()` is to be called when that has changed. */
  readonly mayStart: () => boolean;
  /** Calls the handler. Gives the batches that are to run again, each by the one that it is what is left of. Never rejects. */
  readonly run: (call: Call) => Promise<ReadonlyMap<HandlerBatch, HandlerBatch>>;
  /** There is no room to set this aside; its turn comes at this time. False: it cannot be handed back either. */
  readonly handBack: (batch: HandlerBatch, turnAt: number) => boolean;
}

export interface Call {
  readonly batches: readonly HandlerBatch[];
  /** Nothing else runs: suspects may. */
  readonly isAlone: boolean;
}
