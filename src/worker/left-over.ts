import type { HostReport } from '../attempts/host.ts';
import { type HeldMessage, idOf, type HandlerBatch, receivesOf } from './held-message.ts';

/** A message whose attempts died twice in a row, the second time alone, killed its process itself. */
const DEATHS_OF_KILLER = 2;

/**
 * Returns the part of each batch that the worker keeps: from a suspect, or a message whose key another owner
 * holds, on. Handing it back would cost each message a receive. `startsAfter` converts the end of a lease to
 * the worker's clock.
 */
export function leftOf(
  batches: readonly HandlerBatch[],
  report: Pick<HostReport, 'handedBack' | 'suspects' | 'conflicts'>,
  startsAfter: (leaseUntil: number) => number,
  maxReceives: number = Infinity,
): ReadonlyMap<HandlerBatch, HandlerBatch> {
  const left = new Map<HandlerBatch, HandlerBatch>();
  const { suspects, conflicts } = report;
  if (suspects.size + conflicts.size === 0) return left;
  const handedBack = new Set(report.handedBack);
  for (const batch of batches) {
    const all = batch.held.filter((one) => handedBack.has(idOf(one)));
    // Another processor has handed one back already: messages behind it must not run before it.
    const shown = all.findIndex(({ isEnding }) => isEnding === true);
    const held = shown === -1 ? all : all.slice(0, shown);
    const [first, ...behind] = held;
    if (first === undefined) continue;
    const deaths = suspects.get(idOf(first));
    const leaseUntil = conflicts.get(idOf(first));
    if (deaths !== undefined && behind.length > 0 && isLost(first, deaths, maxReceives)) {
      left.set(batch, partOf(batch, behind));
    } else if (deaths !== undefined) {
      left.set(batch, partOf(batch, held, { deaths }));
    } else if (leaseUntil !== undefined) {
      left.set(batch, partOf(batch, held, { startsAt: startsAfter(leaseUntil) }));
    }
  }
  return left;
}

/** Returns whether this is a killer on its last receive: messages behind it must not share its end. */
function isLost(held: HeldMessage, deaths: number, maxReceives: number): boolean {
  return deaths >= DEATHS_OF_KILLER && receivesOf(held) >= maxReceives;
}

/** Returns a batch with only these messages. */
export function partOf(
  { group, rateKeys }: HandlerBatch,
  held: readonly HeldMessage[],
  when?: Pick<HandlerBatch, 'deaths' | 'startsAt'>,
): HandlerBatch {
  return { held, group, ...(rateKeys !== undefined && { rateKeys }), ...when };
}
