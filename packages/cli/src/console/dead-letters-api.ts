// The part of the JSON API (`api.ts`) for the messages of dead-letter queues.
import type { ClaimJson, SentBy, StoredError } from 'batchlatch/operations';

/** A message of a dead-letter queue. */
export interface MessageJson {
  readonly messageId: string;
  readonly sentAt?: string;
  readonly receiveCount: number;
  readonly groupId?: string;
  readonly sentBy: SentBy;
  readonly source?: string;
  readonly recordId: string;
  readonly error?: StoredError;
  readonly key?: string;
  readonly claims: readonly ClaimJson[];
  /** In characters. */
  readonly bodyLength: number;
}

/** `POST /api/dead-letters/peek` */
export interface PeekJson {
  readonly messages: readonly MessageJson[];
  readonly isWhole: boolean;
  readonly total: number;
  readonly stillHidden: number;
  /**
   * Absent if no search was needed. `isWhole` is false if parked claims remain to be searched with `scan`.
   */
  readonly parkedRead?: {
    readonly readBy: 'index' | 'scan';
    readonly rowsRead: number;
    readonly isWhole: boolean;
  };
}
