import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import {
  aBoolean,
  aFunction,
  anObject,
  type Check,
  objectWith,
  oneOf,
  required,
} from '../../options/check-options.ts';
import { anAdmin, aUrl } from '../../options/domain-checks.ts';
import { type ChangeOptions, words } from '../change-claims.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import type { PeekOptions } from './peek-dead-letters.ts';
import type { CompletedMessages } from './redrive-plan.ts';
import type { RedriveProgress } from './redrive-result.ts';

/** Options of `redriveDeadLetters`. */
export interface RedriveOptions
  extends
    Pick<PeekOptions, 'queueUrl' | 'key' | 'usesReceives' | 'clock'>,
    Pick<ChangeOptions, 'operator' | 'reason'> {
  /** The destination. Default: the source known to SQS, or the only queue with this dead-letter queue. */
  readonly destinationUrl?: string;
  /** The admin of the store whose claims are released before messages are moved. Default: none is read. */
  readonly admin?: ClaimAdmin;
  /**
   * The messages to redrive: `'all'`, a list of message ids, or a function that chooses.
   *
   * @param message A message of the dead-letter queue.
   */
  readonly which: 'all' | readonly string[] | ((message: DeadLetterMessage) => boolean);
  /** Whether to leave, move or delete messages with completed claims. Default `'skip'`: they stay. */
  readonly completed?: CompletedMessages;
  /** Whether to report what would be done without doing it. Default false. */
  readonly dryRun?: boolean;
  /**
   * Called for every message, with the progress so far. Errors that it throws are ignored.
   *
   * @param progress The totals so far.
   */
  readonly onProgress?: (progress: RedriveProgress) => void;
  /** Aborting it stops the redrive after the messages that are being moved. */
  readonly signal?: AbortSignal;
}

export const REDRIVE_CHECKS: Readonly<Record<string, Check>> = {
  queueUrl: required(aUrl()),
  destinationUrl: aUrl(),
  admin: anAdmin(),
  key: aFunction(),
  which: required({
    expected: "'all', a list of message ids, or a function",
    accepts: (value) =>
      value === 'all' ||
      typeof value === 'function' ||
      (Array.isArray(value) && value.every((id) => typeof id === 'string')),
  }),
  completed: oneOf('skip', 'move', 'delete'),
  operator: required(words(128)),
  reason: required(words(256)),
  dryRun: aBoolean(),
  usesReceives: aBoolean(),
  onProgress: aFunction(),
  clock: objectWith('now', 'setTimer'),
  signal: anObject(),
};
