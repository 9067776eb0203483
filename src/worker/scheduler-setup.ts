import type { Clock } from '../base/clock.ts';
import type { HandlerBatch } from './held-message.ts';
import type { RateLimits } from './rate-limits.ts';
import type { CallSize } from './ready-batches.ts';

export interface SchedulerSetup {
  /** The initial limit of batches in calls. */
  readonly limit: number;
  /** The size of a call; undefined: one batch. */
  readonly callSize: () => CallSize | undefined;
  /** The limit for one message group. */
  readonly perGroup: number;
  /** Received messages that wait for a slot. */
  readonly ahead: number;
  /** The limit of messages set aside. */
  readonly aside: number;
  /** Whether groups keep their order. If so, a message that waits for its key's rate holds up its group. */
  readonly isFifo: boolean;
  readonly clock: Clock;
  readonly rates: RateLimits | undefined;
  /** Whether anything may start now. Call `startAll()` when this changes. */
  readonly mayStart: () => boolean;
  /** Calls the handler. Returns, for each batch, the part that runs again. Never rejects. */
  readonly run: (call: Call) => Promise<ReadonlyMap<HandlerBatch, HandlerBatch>>;
  /** Hands back a batch that cannot be set aside until its turn. Returns false if it must stay. */
  readonly handBack: (batch: HandlerBatch, turnAt: number) => boolean;
}

export interface Call {
  readonly batches: readonly HandlerBatch[];
  /** Whether nothing else runs, so that a suspect may. */
  readonly isAlone: boolean;
}
