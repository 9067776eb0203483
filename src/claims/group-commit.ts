import { type Clock, wait } from './clock.ts';
import { type ClaimStore, DEFAULT_REQUEST_SIZE, type SettleOutcome, type Settlement } from './claim-store.ts';
import { mayPass, StoreError } from './errors.ts';

/**
 * Settles many attempts in few requests. A settlement waits for company until one of these is true:
 * a full request is there, nothing else is running that could bring company, or `lingerMs` is over.
 * What finishes while a write is in flight therefore goes together in the next. The name and the idea
 * are the databases' (group commit of log records, DeWitt et al. 1984).
 *
 * A settlement that the store could not write is tried again with full jitter: the effect behind it is
 * done, and a completion that is not stored means that it will be done again.
 */
export interface GroupCommit<Note> {
  /** Resolves with what became of the settlement; never rejects. The note is for `onWrite`. */
  settle(settlement: Settlement, note: Note): Promise<SettleOutcome>;
  /** To be called when something that could bring company has ended. */
  flushIfIdle(): void;
}

export interface GroupCommitOptions<Note> {
  readonly store: ClaimStore;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1; for the jitter of retries. */
  readonly random: () => number;
  readonly lingerMs: number;
  /** Whether something is running that may soon bring another settlement. */
  readonly isBusy: () => boolean;
  /** Called with the notes of every group before it is written. */
  readonly onWrite: (notes: readonly Note[]) => void;
  /** Once aborted, nothing is retried any more. */
  readonly signal: AbortSignal;
}

const WRITE_ATTEMPTS = 4;
const FIRST_RETRY_MS = 50;

interface Waiting<Note> {
  readonly settlement: Settlement;
  readonly note: Note;
  readonly resolve: (outcome: SettleOutcome) => void;
}

export function createGroupCommit<Note>(options: GroupCommitOptions<Note>): GroupCommit<Note> {
  const { store, clock, lingerMs, isBusy, onWrite } = options;
  const requestSize = store.requestSize ?? DEFAULT_REQUEST_SIZE;
  let waiting: Waiting<Note>[] = [];
  let cancelLinger: (() => void) | undefined;

  function flush(): void {
    cancelLinger?.();
    cancelLinger = undefined;
    const group = waiting;
    waiting = [];
    if (group.length > 0) void commit(group);
  }

  async function commit(group: readonly Waiting<Note>[]): Promise<void> {
    onWrite(group.map((one) => one.note));
    const outcomes = await writeWithRetries(
      group.map((one) => one.settlement),
      options,
    );
    group.forEach((one, index) => one.resolve(outcomes[index] as SettleOutcome));
  }

  return {
    settle(settlement, note) {
      return new Promise((resolve) => {
        waiting.push({ settlement, note, resolve });
        if (waiting.length >= requestSize || !isBusy()) flush();
        else cancelLinger ??= clock.setTimer(flush, lingerMs);
      });
    },
    flushIfIdle() {
      if (waiting.length > 0 && !isBusy()) flush();
    },
  };
}

/** Writes a group; what fails retryably is written again, alone, a bounded number of times. */
async function writeWithRetries(
  settlements: readonly Settlement[],
  {
    store,
    clock,
    random,
    signal,
  }: Pick<GroupCommitOptions<unknown>, 'store' | 'clock' | 'random' | 'signal'>,
): Promise<SettleOutcome[]> {
  const outcomes: SettleOutcome[] = [];
  let pending = settlements.map((_, index) => index);
  for (let attempt = 1; ; attempt += 1) {
    const answers = await settleOrErrors(
      store,
      pending.map((index) => settlements[index] as Settlement),
      signal,
    );
    pending.forEach((index, position) => {
      outcomes[index] = answers[position] ?? missingOutcome();
    });
    pending = pending.filter((index) => mayBeWrittenLater(outcomes[index]));
    if (pending.length === 0 || attempt === WRITE_ATTEMPTS) return outcomes;
    await wait(clock, random() * FIRST_RETRY_MS * 2 ** attempt, signal);
    if (signal.aborted) return outcomes; // also ends the wait at once
  }
}

async function settleOrErrors(
  store: ClaimStore,
  settlements: readonly Settlement[],
  signal: AbortSignal,
): Promise<SettleOutcome[]> {
  try {
    return await store.settle(settlements, { signal });
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return settlements.map(() => ({ error }));
  }
}

/** An error that does not say whether it can be retried is retried: a lost completion is the worse end. */
function mayBeWrittenLater(outcome: SettleOutcome | undefined): boolean {
  return typeof outcome === 'object' && mayPass(outcome.error);
}

function missingOutcome(): SettleOutcome {
  return {
    error: new StoreError('The claim store answered with fewer outcomes than it was asked for', {
      isRetryable: false,
    }),
  };
}
