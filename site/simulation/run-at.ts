import type { ClaimSpan, Run } from './run.ts';
import { PICTURE } from './timeline.ts';

/** How a claim stands at a time, in words. */
export interface ClaimAt {
  readonly order: string;
  readonly status: string;
  readonly attempt: string;
  readonly lease: string;
  /** How often the provider was asked to charge the order by then. */
  readonly asked: number;
}

export function claimsAt(run: Run, atMs: number): ClaimAt[] {
  return run.orders.map((order) => {
    const span = run.claims.findLast((claim) => claim.order === order && claim.fromMs <= atMs);
    const asked = run.moments.filter(
      (moment) => moment.order === order && moment.atMs <= atMs && moment.kind.startsWith('effect'),
    ).length;
    if (span === undefined) return { order, status: 'no row', attempt: '–', lease: '–', asked };
    return {
      order,
      status: statusOf(span),
      attempt: String(span.attempt),
      lease: leaseOf(span, atMs),
      asked,
    };
  });
}

function statusOf({ status, process }: ClaimSpan): string {
  switch (status) {
    case 'IN_PROGRESS':
      return `in progress, by ${process}`;
    case 'COMPLETED':
      return `completed by ${process}`;
    case 'FAILED':
      return 'may be claimed';
    case 'PARKED':
      return 'parked';
  }
}

function leaseOf({ status, leaseUntilMs }: ClaimSpan, atMs: number): string {
  if (status !== 'IN_PROGRESS') return '–';
  const leftMs = leaseUntilMs - atMs;
  return leftMs > 0 ? `${(leftMs / 1_000).toFixed(1)} s left` : 'over';
}

/** Where a time is in the picture of the run: 0 at its left edge, 1 at its right. */
export function runShare({ endMs }: Run, atMs: number): number {
  const { width, left, right } = PICTURE;
  return (left + ((width - left - right) * atMs) / endMs) / width;
}

/** How it ended. */
export function summaryOf({ orders, charged, asked, moments }: Run): string {
  const parts = orders.map((order) => {
    const isDead = moments.some((moment) => moment.kind === 'dead letter' && moment.order === order);
    if (isDead) return `order ${order} was not charged, is parked, and is in the dead-letter queue`;
    const again = (asked[order] ?? 0) - (charged[order] ?? 0);
    return `order ${order} was charged ${charged[order] === 1 ? 'once' : 'never'}${again > 0 ? `, and the provider was asked ${again + 1} times` : ''}`;
  });
  return `At the end: ${parts.join('; ')}.`;
}
