import { type AcquireOutcome, type ClaimRequest, DEFAULT_REQUEST_SIZE } from '../claims/claim-store.ts';
import { mayPass, StoreError } from '../claims/errors.ts';
import type { ClaimAnswer, Entry } from './entry.ts';
import type { ProcessorPorts } from './ports.ts';

/**
 * Acquires claims in the batch's order and in request-sized groups, far enough ahead that `concurrency`
 * handlers stay busy: while fewer than `ahead` are claimed and unfinished, the next group is asked for. Not
 * further: a claim that waits for its turn uses up its lease.
 */
export interface ClaimAhead {
  /** Asks for the first claims. */
  start(): void;
  /** The answer for one entry, when it is there. */
  claimOf(entry: Entry): Promise<ClaimAnswer>;
  /** Whether the entry's claim has been asked for. */
  isRequested(entry: Entry): boolean;
  /** The answer for one entry, once, if it has been asked for; else nothing will be asked for it any more. */
  withdraw(entry: Entry): Promise<ClaimAnswer>;
  /** A claimed entry has ended or does not need its claim: there is room for more. */
  noteEnded(entry: Entry): void;
  /** Asks for nothing more; who still waits learns that nothing was requested for it. */
  stop(): void;
}

export interface ClaimAheadSetup {
  readonly ports: Pick<ProcessorPorts, 'store' | 'clock' | 'newOwner' | 'observer' | 'unstarted'>;
  /** While fewer claims than this are unfinished, more are asked for. */
  readonly ahead: number;
  /** No group goes beyond `ahead`, where a claim that never starts could pass for a death. */
  readonly isStrict: boolean;
  readonly signal: AbortSignal;
  /** Makes the request for an entry, at the time when it is sent. */
  readonly request: (entry: Entry, owner: string) => ClaimRequest;
}

export function createClaimAhead(entries: readonly Entry[], setup: ClaimAheadSetup): ClaimAhead {
  const { ahead, isStrict, ports } = setup;
  const groupSize = ports.store.requestSize ?? DEFAULT_REQUEST_SIZE;
  const requested = new Map<Entry, { readonly group: Promise<ClaimAnswer[]>; readonly index: number }>();
  const waiting = new Map<Entry, (answer: ClaimAnswer) => void>();
  const withdrawn = new Set<Entry>();
  const unfinished = new Set<Entry>();
  let next = 0;
  let isStopped = false;

  function pump(): void {
    while (!isStopped && next < entries.length && unfinished.size < ahead) requestGroup();
  }

  function requestGroup(): void {
    const group: Entry[] = [];
    const most = isStrict ? Math.min(groupSize, ahead - unfinished.size) : groupSize;
    while (group.length < most && next < entries.length) {
      const entry = entries[next] as Entry;
      next += 1;
      if (!withdrawn.has(entry)) group.push(entry);
    }
    if (group.length === 0) return;
    const acquiring = acquireGroup(group, setup);
    group.forEach((entry, index) => {
      unfinished.add(entry);
      requested.set(entry, { group: acquiring, index });
    });
    void acquiring.then((answers) => {
      group.forEach((entry, index) => {
        waiting.get(entry)?.(answers[index] as ClaimAnswer);
        waiting.delete(entry);
      });
    });
  }

  function requestedAnswer(entry: Entry): Promise<ClaimAnswer> | undefined {
    const place = requested.get(entry);
    return place?.group.then((answers) => answers[place.index] as ClaimAnswer);
  }

  return {
    start: pump,
    claimOf(entry) {
      const answer = requestedAnswer(entry);
      if (answer !== undefined) return answer;
      if (isStopped || withdrawn.has(entry)) return Promise.resolve(NOT_REQUESTED);
      return new Promise((resolve) => waiting.set(entry, resolve));
    },
    isRequested: (entry) => requested.has(entry),
    withdraw(entry) {
      const answer = requestedAnswer(entry) ?? Promise.resolve(NOT_REQUESTED);
      requested.delete(entry); // whoever learns of a claim here gives it back; a second time there is none
      withdrawn.add(entry);
      return answer;
    },
    noteEnded(entry) {
      if (unfinished.delete(entry)) pump();
    },
    stop() {
      isStopped = true;
      // What is on its way to the store is still waited for: a claim that is given must be given back.
      for (const [entry, resolve] of waiting) if (!requested.has(entry)) resolve(NOT_REQUESTED);
    },
  };
}

const NOT_REQUESTED: ClaimAnswer = { status: 'not-requested' };

/** Asks the store for one group. Never rejects: what went wrong is each entry's own answer. */
export async function acquireGroup(
  group: readonly Entry[],
  setup: Omit<ClaimAheadSetup, 'ahead' | 'isStrict'>,
): Promise<ClaimAnswer[]> {
  const { store, clock, newOwner, observer } = setup.ports;
  const startedAt = clock.now();
  const requests = group.map((entry) => setup.request(entry, newOwner()));
  let outcomes: AcquireOutcome[];
  try {
    outcomes = await store.acquire(requests, { signal: setup.signal });
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    outcomes = requests.map(() => ({ status: 'error', error }));
  }
  const durationMs = clock.now() - startedAt;
  return group.map((entry, index) => {
    const outcome = outcomes[index] ?? { status: 'error', error: noOutcome() };
    const { owner } = requests[index] as ClaimRequest;
    noteUnknown(entry, owner, outcome, setup);
    return claimAnswer(entry, owner, outcome, durationMs, observer);
  });
}

/** A claim that went unanswered may be written all the same: it is given back once the store answers again. */
export function noteUnknown(
  entry: Entry,
  owner: string,
  outcome: AcquireOutcome,
  { ports, request }: Pick<ClaimAheadSetup, 'ports' | 'request'>,
): void {
  if (outcome.status === 'error' && mayPass(outcome.error)) ports.unstarted.note(request(entry, owner));
}

/** What an entry makes of the outcome of its acquire, and what the observer is told of it. */
export function claimAnswer(
  { key, recordId }: Entry,
  owner: string,
  outcome: AcquireOutcome,
  durationMs: number,
  observer: ProcessorPorts['observer'],
): ClaimAnswer {
  if (outcome.status !== 'acquired') return outcome;
  const { attempt, releases, crashes, leaseUntil, tookOver } = outcome;
  observer.onEvent({ type: 'claimed', recordId, key, owner, attempt, leaseUntil, durationMs });
  if (tookOver) observer.onEvent({ type: 'tookOver', recordId, key, owner, attempt, crashes });
  return { status: 'held', claim: { owner, attempt, releases, crashes, leaseUntil } };
}

function noOutcome(): StoreError {
  return new StoreError('The claim store answered with fewer outcomes than it was asked for', {
    isRetryable: false,
  });
}
