import type { Clock } from '../base/clock.ts';
import type { RequestGroup } from '../base/request-group.ts';
import type { QueueAccess, QueueMember } from '../base/queue-member.ts';
import { RequestQueue } from '../base/request-queue.ts';
import {
  type AcquireOutcome,
  type ClaimRequest,
  type ClaimStore,
  DEFAULT_REQUEST_SIZE,
  type Settlement,
} from './claim-store.ts';
import { asError, givenUp } from './store-errors.ts';

/** A queue that acquires claims for overlapping invocations of one process, in shared requests. */
export interface AcquireQueue<Note> {
  join(member: QueueMember): QueueAccess<ClaimRequest, Note, AcquireOutcome>;
}

export interface AcquireQueueOptions<Note> {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** How long the requests of one invocation wait for those of others, in milliseconds. */
  readonly lingerMs: number;
  /** Returns the record of a request, for members that put a context around requests. */
  readonly recordIdOf?: ((note: Note) => string) | undefined;
}

export function createAcquireQueue<Note>({
  store,
  clock,
  lingerMs,
  recordIdOf,
}: AcquireQueueOptions<Note>): AcquireQueue<Note> {
  return new RequestQueue<ClaimRequest, Note, AcquireOutcome>({
    requestSize: store.requestSize ?? DEFAULT_REQUEST_SIZE,
    lingerMs,
    clock,
    send: (group) => acquireGroup(group, store),
    givenUp: () => ({ status: 'error', error: givenUp() }),
    recordIdOf,
  });
}

async function acquireGroup<Note>(
  group: RequestGroup<ClaimRequest, Note, AcquireOutcome>,
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
  const unwanted = group.answer(group.indexes, outcomes);
  const late = unwanted.flatMap((index) => {
    const outcome = outcomes[index];
    return outcome?.status === 'acquired' ? [releaseOf(items[index] as ClaimRequest, outcome.releases)] : [];
  });
  if (late.length > 0) void releaseLate(late, store);
}

function releaseOf({ key, owner, retentionMs }: ClaimRequest, releases: number): Settlement {
  return { end: 'release', key, owner, releases, retentionMs };
}

/** Releases claims that nobody waits for any more: kept, each would look to the next attempt like a crash. */
async function releaseLate(releases: readonly Settlement[], store: ClaimStore): Promise<void> {
  try {
    await store.settle(releases);
  } catch {
    // They lapse with their leases.
  }
}
