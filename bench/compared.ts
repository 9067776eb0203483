import type { ContenderName } from './contenders/index.ts';
import type { Workload } from './workload.ts';

/** The peer, this library and the floor: in every cell. */
export const COMPARED = ['powertools', 'batchlatch', 'floor'] as const satisfies readonly ContenderName[];
/** What people use. */
export const USED = [
  'batchlatch',
  'powertools',
  'by-hand',
  'middy',
] as const satisfies readonly ContenderName[];
/** In the main cells. */
export const EVERYBODY = [
  'powertools',
  'batchlatch',
  'by-hand',
  'middy',
  'floor',
] as const satisfies readonly ContenderName[];

/**
 * The cells that everybody takes part in: batches of 10 and of 1,000 first deliveries, and what else arrives in
 * batches of 10.
 */
export function isMain({ size, handlerMs, mix }: Workload): boolean {
  return mix === 'first' ? size === 10 || size === 1_000 : size === 10 && handlerMs === 0;
}
