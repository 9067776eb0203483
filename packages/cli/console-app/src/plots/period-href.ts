import { listHref } from '../filters/claim-filter.ts';
import { goTo } from '../state/address.ts';

/** The address of the list of claims whose last attempt ended in a period. */
export function periodHref(from: number, periodMs: number): string {
  return listHref(undefined, { endedFrom: String(from), endedBefore: String(from + periodMs) });
}

/** Goes to the claims of a period, if there is one. */
export function goToPeriod(period: { readonly from: number } | undefined, periodMs: number): void {
  if (period !== undefined) goTo(periodHref(period.from, periodMs));
}
