import { longestDelayMs } from '../../src/around/backoff.ts';
import type { Claim } from '../../src/claims/claim.ts';
import { changeOfSettlement, decideAcquire, isForgotten, isOwnedBy } from '../../src/claims/transitions.ts';
import { DAY_MS, leaseMsOf, SECOND_MS, type Settings } from './settings.ts';

/** What happens to the message each time that its handler runs. */
export interface Trouble {
  readonly kind: 'handler fails' | 'process dies';
  readonly afterSeconds: number;
}

/** One receive of the message. Times are milliseconds since it was sent. */
export interface Delivery {
  readonly atMs: number;
  /** The end of the handler; `atMs` if it did not run. */
  readonly untilMs: number;
  /** When the message becomes visible again. */
  readonly visibleAtMs: number;
  readonly outcome: 'failed' | 'died' | 'interrupted' | 'conflict';
  /** The attempt that ran, or that holds the claim. */
  readonly attempt: number;
  /** The end of the claim's lease as this delivery knows it. */
  readonly leaseUntilMs: number;
  readonly tookOver: boolean;
  /** The claim of earlier attempts was forgotten, so attempts are counted from 1 again. */
  readonly isForgotten: boolean;
  /** An earlier attempt's handler still runs: two run at once. */
  readonly isBeside: boolean;
}

/** All of a message's deliveries, and where it ends. */
export interface Life {
  readonly deliveries: readonly Delivery[];
  readonly end: {
    readonly kind: 'dead-letter queue' | 'deleted' | 'goes on';
    readonly atMs: number;
  };
}

/** SQS allows at most this `maxReceiveCount`; without a redrive policy no more deliveries are computed. */
const MOST_DELIVERIES = 1_000;
const LONGEST_HIDDEN_MS = 43_200 * SECOND_MS;
/** The default of `deadlineMarginMs`: when the processor answers before the function's timeout. */
const DEADLINE_MARGIN_MS = 1_000;

/** Follows a message that never succeeds, with the library's own decisions about claims and back-off. */
export function lifeOf(settings: Settings, trouble: Trouble): Life {
  const queueEndsMs = settings.queueDays * DAY_MS;
  const most = settings.maxReceiveCount ?? MOST_DELIVERIES;
  const claims = new Claims(settings);
  const deliveries: Delivery[] = [];
  let atMs = 0;
  while (atMs < queueEndsMs && deliveries.length < most) {
    const delivery = deliver(settings, { trouble, claims, atMs, receives: deliveries.length + 1 });
    deliveries.push(delivery);
    atMs = delivery.visibleAtMs;
  }
  if (atMs >= queueEndsMs) return { deliveries, end: { kind: 'deleted', atMs: queueEndsMs } };
  const kind = settings.maxReceiveCount === undefined ? 'goes on' : 'dead-letter queue';
  return { deliveries, end: { kind, atMs } };
}

interface Receive {
  readonly trouble: Trouble;
  readonly claims: Claims;
  readonly atMs: number;
  readonly receives: number;
}

function deliver(settings: Settings, { trouble, claims, atMs, receives }: Receive): Delivery {
  const claimed = claims.acquire(atMs, receives);
  const hiddenUntilMs = atMs + settings.visibilitySeconds * SECOND_MS;
  /** Back-off changes the visibility of a message that was handed back while it is still hidden. */
  const visibleAfter = (answeredMs: number, delayMs: number): number =>
    settings.backoff === undefined || answeredMs > hiddenUntilMs
      ? hiddenUntilMs
      : Math.min(answeredMs + delayMs, atMs + LONGEST_HIDDEN_MS);
  const { baseDelayMs = 0 } = settings.backoff ?? {};
  const afterLease = (answeredMs: number): number =>
    visibleAfter(answeredMs, Math.max(claimed.leaseUntilMs - answeredMs, 0) + baseDelayMs);
  if (claimed.isConflict)
    return { ...claimed, atMs, untilMs: atMs, visibleAtMs: afterLease(atMs), outcome: 'conflict' };

  const timeoutMs = settings.timeoutSeconds * SECOND_MS;
  const answerMs = timeoutMs - Math.min(DEADLINE_MARGIN_MS, timeoutMs / 2);
  const runMs = trouble.afterSeconds * SECOND_MS;
  const untilMs = atMs + Math.min(runMs, timeoutMs);
  const ran = { ...claimed, atMs, untilMs };
  if (trouble.kind === 'process dies') {
    claims.runs(untilMs);
    return { ...ran, visibleAtMs: hiddenUntilMs, outcome: 'died' };
  }
  // The record is handed back before the timeout, and its claim is left to its lease.
  if (runMs > answerMs) {
    claims.runs(untilMs);
    return { ...ran, visibleAtMs: afterLease(atMs + answerMs), outcome: 'interrupted' };
  }
  claims.runs(untilMs, { failsAs: receives });
  const delayMs = settings.backoff === undefined ? 0 : longestDelayMs(receives, settings.backoff);
  return { ...ran, visibleAtMs: visibleAfter(untilMs, delayMs), outcome: 'failed' };
}

/** The row of the message's key, written as every store writes it. */
class Claims {
  readonly #settings: Settings;
  #row: Claim | undefined;
  #runs: { readonly untilMs: number; readonly failsAs: string | undefined }[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The claim that a delivery gets, or meets. */
  acquire(atMs: number, receives: number) {
    this.#settleUntil(atMs);
    const before = this.#row;
    const request = {
      key: 'order',
      owner: ownerOf(receives),
      leaseMs: leaseMsOf(this.#settings),
      retentionMs: this.#settings.claimDays * DAY_MS,
    };
    const decision = decideAcquire(before, request, atMs);
    if ('write' in decision) this.#row = decision.write;
    const { attempt, leaseUntil } = this.#row as Claim;
    return {
      attempt,
      leaseUntilMs: leaseUntil,
      isConflict: !('write' in decision),
      tookOver: 'write' in decision && decision.tookOver,
      isForgotten: before !== undefined && isForgotten(before, atMs),
      isBeside: 'write' in decision && this.#runs.some(({ untilMs }) => untilMs > atMs),
    };
  }

  /** A handler runs until then; `failsAs` is the delivery whose claim it settles. */
  runs(untilMs: number, { failsAs }: { readonly failsAs?: number } = {}): void {
    this.#runs.push({ untilMs, failsAs: failsAs === undefined ? undefined : ownerOf(failsAs) });
  }

  #settleUntil(atMs: number): void {
    const { claimDays } = this.#settings;
    for (const { untilMs, failsAs } of this.#runs) {
      if (untilMs > atMs || failsAs === undefined || !isOwnedBy(this.#row, failsAs)) continue;
      const error = { name: 'Error', message: 'the handler failed' };
      const change = changeOfSettlement(
        { key: 'order', owner: failsAs, end: 'fail', error, retentionMs: claimDays * DAY_MS },
        untilMs,
      );
      this.#row = { ...this.#row, ...change } as Claim;
    }
    this.#runs = this.#runs.filter(({ untilMs }) => untilMs > atMs);
  }
}

function ownerOf(receives: number): string {
  return `delivery ${receives}`;
}
