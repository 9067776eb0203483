import { takesBatches } from '../attempts/host.ts';
import type { WorkerOptions } from './options.ts';
import type { Batch } from './ready-batches.ts';

/** As many as one receive brings. */
const DEFAULT_SIZE = 10;

/** How many messages a call gets; undefined: one, or those of one FIFO group. */
export function batchOf({ batch, handler, maxInFlight = 100 }: WorkerOptions): Batch | undefined {
  if (batch !== undefined) return { size: batch.size, windowMs: batch.windowMs ?? 0 };
  return takesBatches(handler) ? { size: Math.min(DEFAULT_SIZE, maxInFlight), windowMs: 0 } : undefined;
}
