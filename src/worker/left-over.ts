import type { HostReport } from '../attempts/host.ts';
import { type HeldMessage, idOf, type HandlerBatch, receivesOf } from './held-message.ts';

/** After so many deaths in a row, of which the last was alone, a message is what killed its process. */
const DEATHS_OF_KILLER = 2;

/**
 * What is left of the batches of a call and stays here: from a suspect on, or from a message whose key another owner holds.
 * What goes back to the queue for either has lost a receive for nothing. `startsAfter`: when a message may start that waits
 * for a lease, by the worker's clock.
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
    const held = batch.held.filter((one) => handedBack.has(idOf(one)));
    const [first, ...behind] = held; // behind it in its group
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

/** What is behind a killer was received as often, and would go to the dead-letter queue along with it. */
function isLost(held: HeldMessage, deaths: number, maxReceives: number): boolean {
  return deaths >= DEATHS_OF_KILLER && receivesOf(held) >= maxReceives;
}

/** Some messages of a batch, which start again: at once, or later, or alone. */
export function partOf(
  { group, rateKeys }: HandlerBatch,
  held: readonly HeldMessage[],
  when?: Pick<HandlerBatch, 'deaths' | 'startsAt'>,
): HandlerBatch {
  return { held, group, ...(rateKeys !== undefined && { rateKeys }), ...when };
}
