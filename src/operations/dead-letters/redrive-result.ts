import type { ClaimState } from '../../claims/claim-admin.ts';
import type { ParkedClaimsRead } from './claims-of-messages.ts';
import type { WhyLeft } from './redrive-plan.ts';

/** The outcome of a chosen message. */
export interface RedrivenMessage {
  /** The message's id in the dead-letter queue. */
  readonly messageId: string;
  /** The outcome. `deleted`: its claim is completed, and `completed` is `'delete'`. */
  readonly outcome: 'moved' | 'deleted' | 'left';
  /** Why the message was left. */
  readonly why?: WhyLeft;
  /** The error of the store or SQS, if that is why it was left. */
  readonly error?: Error;
  /** The URL of the queue it was moved to. */
  readonly destinationUrl?: string;
  /** The message's new id in that queue. */
  readonly newMessageId?: string;
  /** The claims found for the message. */
  readonly claims: readonly RedrivenClaim[];
}

/** A claim of a chosen message. */
export interface RedrivenClaim {
  /** The idempotency key. */
  readonly key: string;
  /** The state in which the claim was found. */
  readonly state: ClaimState;
  /** Whether the claim was released. */
  readonly isReleased: boolean;
}

/** The progress of a redrive. */
export interface RedriveProgress {
  /** The message just handled; absent while SQS moves the messages itself. */
  readonly message?: RedrivenMessage;
  /** The number of messages moved so far. */
  readonly moved: number;
  /** The number of chosen messages left so far. */
  readonly left: number;
  /** The approximate number of messages at the start. */
  readonly total: number;
}

/** The result of a redrive. */
export interface RedriveResult {
  /**
   * `whole`: every message that could be received was handled. `aborted`: the signal stopped the redrive.
   * `failed`: SQS or the store failed; `error` says why.
   */
  readonly ended: 'whole' | 'aborted' | 'failed';
  /** The error, if the redrive failed. */
  readonly error?: Error;
  /** `move-task`: SQS moved the messages itself. `messages`: they were received, sent and deleted. */
  readonly movedBy: 'move-task' | 'messages';
  /** The number of messages moved; in a dry run, how many would be. */
  readonly moved: number;
  /** The number of messages deleted because their claims are completed. */
  readonly deleted: number;
  /** The number of claims released; in a dry run, how many would be. */
  readonly released: number;
  /** The number of chosen messages left; `messages` says why. */
  readonly left: number;
  /** The first 1,000 chosen messages; empty if SQS moved them itself. */
  readonly messages: readonly RedrivenMessage[];
  /** Ids of messages that were moved but not deleted. Delete them, or the next redrive moves them again. */
  readonly undeleted: readonly string[];
  /** The ids of `which` that were not found. Another consumer may have received them at that moment. */
  readonly notFound: readonly string[];
  /** Messages of a FIFO queue that could not be received, behind one of their group that was left. */
  readonly notSeen: number;
  /** Messages that reappear only after up to five minutes, because their visibility could not be reset. */
  readonly stillHidden: number;
  /** The cost of reading the parked claims; absent if they were not read. */
  readonly parkedRead?: ParkedClaimsRead;
}

const MOST_MESSAGES = 1_000;

/** The counts of a redrive, reported to `onProgress`. */
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

  /** Sets the number of messages that SQS moved itself: it reports no single messages. */
  movedTogether(moved: number): void {
    this.#counts.moved = moved;
    this.#tell({});
  }

  #tell(of: Pick<RedriveProgress, 'message'>): void {
    const { moved, left } = this.#counts;
    try {
      this.#onProgress?.({ ...of, moved, left, total: this.#total });
    } catch {
      // A failing progress display must not stop the redrive.
    }
  }
}
