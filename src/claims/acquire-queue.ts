import {
  type AcquireOutcome,
  type ClaimRequest,
  type ClaimStore,
  DEFAULT_REQUEST_SIZE,
  type Settlement,
} from './claim-store.ts';
import type { Clock } from '../base/clock.ts';
import {
  type QueueAccess,
  type QueueMember,
  type RequestGroup,
  RequestQueue,
} from '../base/request-queue.ts';
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
    recordIdOf: ({ recordId }) => recordId,
    send: (group) => acquireGroup(group, store),
    givenUp: () => ({ status: 'error', error: givenUp() }),
  });
}

async function acquireGroup(
  group: RequestGroup<ClaimRequest, AcquireOutcome>,
  store: ClaimStore,
): Promise<void> {
  const { items, signal } = group;
  let outcomes: readonly AcquireOutcome[];
  try {
    outcomes = await store.acquire(items, { signal });
  } catch (thrown) {
    const error = asError(thrown);
    outcomes = items.map(() => ({ status: 'error', error }));
  }
  const late: Settlement[] = [];
  items.forEach((request, index) => {
    const outcome = outcomes[index] ?? { status: 'error', error: missingOutcome() };
    if (group.isWanted(index)) group.answer(index, outcome);
    else if (outcome.status === 'acquired') late.push(releaseOf(request, outcome.releases));
  });
  if (late.length > 0) void releaseLate(late, store);
}

function releaseOf({ key, owner, retentionMs }: ClaimRequest, releases: number): Settlement {
  return { end: 'release', key, owner, releases, retentionMs };
}

/** Claims that nobody waits for any more: kept, each would look to the next attempt as if this one had died. */
async function releaseLate(releases: readonly Settlement[], store: ClaimStore): Promise<void> {
  try {
    await store.settle(releases);
  } catch {
    // Their leases lapse.
  }
}
