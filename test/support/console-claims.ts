import type { StoreAndAdmin } from './store-and-admin.ts';
import { createHash, randomUUID } from 'node:crypto';
import { operateOnClaims, type StoredError } from 'batchlatch/operations';
import type { ClaimStore } from 'batchlatch/core';
import type { Clock } from '../../packages/cli/src/tool-base/clock.ts';

const MINUTE = 60_000;
const RETENTION_MS = 96 * 60 * MINUTE;

/** A clock that can be set back: claims get times of their own. */
export interface SetBackClock extends Pick<Clock, 'now'> {
  /** Does something as if it were so long ago. */
  ago<Result>(ms: number, act: () => Promise<Result>): Promise<Result>;
}

export function setBackClock(): SetBackClock {
  let behindMs = 0;
  return {
    now: () => Date.now() - behindMs,
    async ago(ms, act) {
      behindMs = ms;
      try {
        return await act();
      } finally {
        behindMs = 0;
      }
    },
  };
}

type How = 'in-progress' | 'overdue' | 'failed' | 'parked' | 'completed';

const DECLINED = { name: 'CardDeclined', message: 'The card was declined.', code: 'card_declined' };
const ERRORS: readonly StoredError[] = [
  DECLINED,
  { name: 'TypeError', message: "Cannot read properties of undefined (reading 'total')" },
  { name: 'PaymentTimeout', message: 'No answer within 3,000 ms.', code: 'ETIMEDOUT' },
];

/** What a hostile sender might call a record. */
export const HOSTILE = "<img src=x onerror=alert(1)>\u001B[31m\u202Egnp\n=cmd|' /C calc'!A0\"";

/**
 * Fills a store with claims in all states: `orders#o-0001` and so on, and some that are hard to show. The store must go by the
 * clock.
 */
export async function fillWithClaims(
  store: StoreAndAdmin,
  clock: SetBackClock,
  { completed = 300, waiting = 12 }: { readonly completed?: number; readonly waiting?: number } = {},
): Promise<void> {
  for (let index = 0; index < completed; index += 1) {
    const ageMs = (index * 3_000) % (14 * MINUTE);
    await makeClaim(store, clock, `orders#o-${number(index)}`, 'completed', { ageMs, seed: index });
  }
  for (let index = 0; index < waiting; index += 1) {
    const ageMs = (index + 2) * MINUTE;
    for (const how of ['parked', 'failed', 'overdue', 'in-progress'] as const) {
      await makeClaim(
        store,
        clock,
        `${how === 'failed' ? 'invoices' : 'orders'}#${how}-${number(index)}`,
        how,
        {
          ageMs,
          seed: index,
        },
      );
    }
  }
  await makeClaim(store, clock, `orders#${HOSTILE}`, 'parked', {
    ageMs: MINUTE,
    error: { name: 'Error', message: HOSTILE },
  });
  await makeClaim(store, clock, 'orders#long-result', 'completed', {
    ageMs: MINUTE,
    result: '{"total":9007199254740993,"note":"<b>bold</b>"}',
  });
  await released(store, clock, 'orders#released');
}

/** A claim that failed, was released by a person, and was claimed again. */
async function released(store: StoreAndAdmin, clock: SetBackClock, key: string): Promise<void> {
  await makeClaim(store, clock, key, 'parked', { ageMs: 30 * MINUTE });
  await clock.ago(20 * MINUTE, async () => {
    const claim = await store.inspect(key);
    if (claim === undefined) return;
    await operateOnClaims(store, [claim], {
      operation: 'release',
      operator: 'ann@laptop',
      reason: 'fixed in 1.4',
    });
  });
  await makeClaim(store, clock, key, 'failed', { ageMs: 10 * MINUTE });
}

/** Makes one claim, and ends it as it is to be. */
export async function makeClaim(
  store: ClaimStore,
  clock: SetBackClock,
  key: string,
  how: How,
  {
    ageMs,
    seed = 0,
    error = ERRORS[seed % ERRORS.length] ?? DECLINED,
    result = '{"chargeId":"ch_1"}',
    lockedBy = `OrdersFunction:${(seed % 3) + 1} ${randomUUID()}`,
    recordId = recordIdOf(key),
  }: {
    readonly ageMs: number;
    readonly seed?: number;
    readonly error?: StoredError;
    readonly result?: string;
    readonly lockedBy?: string;
    readonly recordId?: string;
  },
): Promise<void> {
  const owner = randomUUID();
  const leaseMs = how === 'overdue' ? MINUTE / 2 : 60 * MINUTE;
  await clock.ago(ageMs, () =>
    store.acquire([{ key, owner, leaseMs, retentionMs: RETENTION_MS, lockedBy, recordId }]),
  );
  if (how === 'in-progress' || how === 'overdue') return;
  const settlement = { key, owner, retentionMs: RETENTION_MS };
  const settled = {
    completed: { ...settlement, end: 'complete', result },
    failed: { ...settlement, end: 'fail', error },
    parked: { ...settlement, end: 'park', error },
  } as const;
  await clock.ago(ageMs - 20 - (seed % 37) * 31, () => store.settle([settled[how]]));
}

/** The id of the message that a claim is of. */
export function recordIdOf(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

function number(index: number): string {
  return String(index).padStart(4, '0');
}
