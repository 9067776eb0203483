import type { ClaimState } from '../../claims/claim-admin.ts';
import type { ParkedClaimsRead } from './claims-of-messages.ts';
import type { WhyLeft } from './redrive-plan.ts';

/** What became of one message that was chosen. */
export interface RedrivenMessage {
  /** Its id in the dead-letter queue. */
  readonly messageId: string;
  /** `deleted`: its work was done already, and `completed` is `'delete'`. */
  readonly outcome: 'moved' | 'deleted' | 'left';
  /** Why it was left. */
  readonly why?: WhyLeft;
  /** What the store or SQS said, where that is why it was left. */
  readonly error?: Error;
  /** Where it went. */
  readonly destinationUrl?: string;
  /** Its id there; other than the one it had. */
  readonly newMessageId?: string;
  /** Its claims, as they were found. */
  readonly claims: readonly RedrivenClaim[];
}

/** A claim of a message that was chosen. */
export interface RedrivenClaim {
  /** The idempotency key. */
  readonly key: string;
  /** How it was found. */
  readonly state: ClaimState;
  /** Whether it was released. */
  readonly isReleased: boolean;
}

/** How far a redrive is. */
export interface RedriveProgress {
  /** The message that this is told for; absent where SQS moves them itself. */
  readonly message?: RedrivenMessage;
  /** How many were moved so far. */
  readonly moved: number;
  /** How many of those chosen were left so far. */
  readonly left: number;
  /** How many the queue had at the start, as SQS counts them, which is approximate. */
  readonly total: number;
}

/** How a redrive ended. */
export interface RedriveResult {
  /**
   * `whole`: every message that a receive could get was seen. `aborted`: the signal stopped it. `failed`: SQS or the store
   * could not go on; `error` says why.
   */
  readonly ended: 'whole' | 'aborted' | 'failed';
  /** Why it failed. */
  readonly error?: Error;
  /** `move-task`: SQS moved the messages itself. `messages`: they were received, sent and deleted. */
  readonly movedBy: 'move-task' | 'messages';
  /** How many messages were moved; of a dry run, how many would be. */
  readonly moved: number;
  /** How many were deleted because their work was done. */
  readonly deleted: number;
  /** How many claims were released; of a dry run, how many would be. */
  readonly released: number;
  /** How many of those chosen were left; `messages` says why. */
  readonly left: number;
  /** The first 1,000 messages that were chosen. Where SQS moves them itself, none. */
  readonly messages: readonly RedrivenMessage[];
  /** Messages that were moved and could not be deleted from the dead-letter queue: delete them, or they are moved once more. */
  readonly undeleted: readonly string[];
  /** Of a list of ids: those that were not found. Somebody may have received them at that moment. */
  readonly notFound: readonly string[];
  /**
   * Of a FIFO queue: how many messages could not be seen, because one that was left comes before them in their group. SQS
   * gives the next of a group only after that one is deleted.
   */
  readonly notSeen: number;
  /** How many messages appear again only when their time is over, in five minutes at most, because SQS could not be told. */
  readonly stillHidden: number;
  /** What it cost to read the claims that are parked; absent where that was not needed. */
  readonly parkedRead?: ParkedClaimsRead;
}

const MOST_MESSAGES = 1_000;

/** Counts what became of messages, and tells it. */
export class RedriveTally {
  readonly #total: number;
  readonly #onProgress: ((progress: RedriveProgress) => void) | undefined;
  readonly #released = new Set<string>();
  readonly #messages: RedrivenMessage[] = [];
  readonly #counts = { moved: 0, deleted: 0, left: 0 };

  constructor(total: number, onProgress: ((progress: RedriveProgress) => void) | undefined) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  get moved(): number {
    return this.#counts.moved;
  }

  result(): Pick<RedriveResult, 'moved' | 'deleted' | 'left' | 'released' | 'messages'> {
    const { moved, deleted, left } = this.#counts;
    return { moved, deleted, released: this.#released.size, left, messages: this.#messages };
  }

  noteReleased(claims: readonly RedrivenClaim[]): void {
    for (const { key, isReleased } of claims) if (isReleased) this.#released.add(key);
  }

  add(message: RedrivenMessage): void {
    this.noteReleased(message.claims);
    this.#counts[message.outcome] += 1;
    if (this.#messages.length < MOST_MESSAGES) this.#messages.push(message);
    this.#tell({ message });
  }

  /** What SQS moves itself it only counts. */
  movedTogether(moved: number): void {
    this.#counts.moved = moved;
    this.#tell({});
  }

  #tell(of: Pick<RedriveProgress, 'message'>): void {
    const { moved, left } = this.#counts;
    try {
      this.#onProgress?.({ ...of, moved, left, total: this.#total });
    } catch {
      // A display that fails stops no redrive.
    }
  }
}
