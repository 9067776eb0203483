import { type Clock, wait } from '../../base/clock.ts';
import { StoreError } from '../../base/errors.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome, WriteOutcome } from '../rows/row-writer.ts';

export interface RetrySetup {
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

/** The most attempts for one item or transaction, the first included. */
export const MOST_SENDINGS = 8;
const FIRST_DELAY_MS = 25;
const LONGEST_DELAY_MS = 1_000;

/**
 * Sends items, and resends those that failed temporarily (throttled, or in conflict with a transaction), with
 * exponential backoff and full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015). Stops
 * after 8 attempts or when `signal` is aborted. The transport retries whole requests, but not single
 * statements of a request that succeeded.
 */
export async function sendWithRetries<Item, Outcome extends Sent>(
  items: Item[],
  send: (items: Item[]) => Promise<Outcome[]>,
  { clock, random }: RetrySetup,
  signal?: StopSignal,
): Promise<Outcome[]> {
  const outcomes = await send(items);
  for (let sending = 2; sending <= MOST_SENDINGS; sending += 1) {
    const again = failedInPassing(outcomes);
    if (again.length === 0) break;
    await wait(clock, backOffMs(sending - 1, random), signal);
    if (signal?.aborted === true) break; // an abort ends the wait at once
    const answers = await send(again.map((index) => items[index] as Item));
    again.forEach((index, position) => {
      outcomes[index] = answers[position] as Outcome;
    });
  }
  return outcomes;
}

/** Returns the delay after this many attempts: exponential, with full jitter. */
export function backOffMs(sendings: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** sendings);
}

type Sent = WriteOutcome<unknown> | ReadOutcome<unknown>;

function failedInPassing(outcomes: readonly Sent[]): number[] {
  const indexes: number[] = [];
  outcomes.forEach((outcome, index) => {
    if (outcome.status === 'error' && outcome.error instanceof StatementError) indexes.push(index);
  });
  return indexes;
}

/** A retryable failure of one item inside a request that itself succeeded. */
export class StatementError extends StoreError {
  override name = 'StatementError';
}
