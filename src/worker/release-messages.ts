import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import { type HeldMessage, receivesOf } from './held-message.ts';
import { type MessageQueue, MOST_IN_REQUEST } from './sqs-queue.ts';

/** A message that waits for its turn elsewhere than here is hidden for no less than this, so that it is not received at once again. */
const SHORTEST_TURN_MS = 30_000;
/** And for no more: the worker may have gone by then, or its rate may be another. */
const LONGEST_TURN_MS = 15 * 60_000;

/** Shows messages again now, before their time is over. Never rejects: else they are shown again when it is. */
export async function showAgain(
  queue: Pick<MessageQueue, 'changeVisibility'>,
  held: readonly HeldMessage[],
  inMs: number,
  signal: StopSignal,
): Promise<void> {
  const seconds = Math.ceil(inMs / 1_000);
  const requests: Promise<unknown>[] = [];
  for (let from = 0; from < held.length; from += MOST_IN_REQUEST) {
    const changes = held
      .slice(from, from + MOST_IN_REQUEST)
      .map(({ message: { receiptHandle } }) => ({ receiptHandle, seconds }));
    requests.push(queue.changeVisibility(changes, signal));
  }
  await Promise.allSettled(requests);
}

/**
 * In how many milliseconds a message whose turn is at `turnAt` may be shown again; undefined: it has been received too often. Each
 * receive brings it nearer to the dead-letter queue, and more than half of them are left to handlers that fail.
 */
export function turnOf(
  held: HeldMessage,
  turnAt: number,
  maxReceives: number | undefined,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  if (!(receivesOf(held) * 2 < (maxReceives ?? Infinity))) return undefined;
  return Math.min(Math.max(turnAt - clock.now(), SHORTEST_TURN_MS), LONGEST_TURN_MS);
}
