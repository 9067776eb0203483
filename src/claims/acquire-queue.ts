import {
  type AcquireOutcome,
  type ClaimRequest,
  type ClaimStore,
  DEFAULT_REQUEST_SIZE,
  type Settlement,
} from './claim-store.ts';
import type { Clock } from './clock.ts';
import { type QueueAccess, type QueueMember, type RequestGroup, RequestQueue } from './request-queue.ts';
import { asError, givenUp, missingOutcome } from './store-errors.ts';

/** Acquires claims for invocations that run at the same time in one process, in requests that they share. */
export interface AcquireQueue {
  join(member: QueueMember): QueueAccess<ClaimRequest, AcquireOutcome>;
}

export interface AcquireQueueOptions {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** How long a request of one invocation waits for those of others, in milliseconds. */
  readonly lingerMs: number;
}

export function createAcquireQueue({ store, clock, lingerMs }: AcquireQueueOptions): AcquireQueue {
  return new RequestQueue<ClaimRequest, AcquireOutcome>({
    requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
    lingerMs,
    clock,
    keyOf: ({ key }) => key,
    send: (group) => acquireGroup(group, store),
    givenUp: () => ({ status: 'error', error: givenUp() }),
    // Kept, it would look to the next attempt as if this one had died.
    onLate: (request, outcome) => void releaseLate(request, outcome, store),
  });
}

async function acquireGroup(
  { items, signal, answer }: RequestGroup<ClaimRequest, AcquireOutcome>,
  store: ClaimStore,
): Promise<void> {
  let outcomes: readonly AcquireOutcome[];
  try {
    outcomes = await store.acquire(items, { signal });
  } catch (thrown) {
    const error = asError(thrown);
    outcomes = items.map(() => ({ status: 'error', error }));
  }
  items.forEach((_, index) => answer(index, outcomes[index] ?? { status: 'error', error: missingOutcome() }));
}

async function releaseLate(
  { key, owner, retentionMs }: ClaimRequest,
  outcome: AcquireOutcome,
  store: ClaimStore,
): Promise<void> {
  if (outcome.status !== 'acquired') return;
  const release: Settlement = { end: 'release', key, owner, releases: outcome.releases, retentionMs };
  try {
    await store.settle([release]);
  } catch {
    // Its lease lapses.
  }
}
