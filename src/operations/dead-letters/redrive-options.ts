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
  /**
   * Where the messages go. Default: where the redrive policy took each of them from, or the only queue that has this one for
   * its dead-letter queue.
   */
  readonly destinationUrl?: string;
  /** Where the claims are, which are released before their messages are moved. Default: no claim is looked at. */
  readonly admin?: ClaimAdmin;
  /**
   * Which messages: `'all'`, those with these ids, or those that a function chooses.
   *
   * @param message A message of the dead-letter queue.
   */
  readonly which: 'all' | readonly string[] | ((message: DeadLetterMessage) => boolean);
  /** What becomes of messages whose claim says that their work is done. Default `'skip'`: they stay where they are. */
  readonly completed?: CompletedMessages;
  /** Only says what would be done. Default false. */
  readonly dryRun?: boolean;
  /**
   * Told of every message, and of how far it is. What it throws is ignored.
   *
   * @param progress What was done so far.
   */
  readonly onProgress?: (progress: RedriveProgress) => void;
  /** Stops after the messages that are being moved. */
  readonly signal?: AbortSignal;
}

/** What the options may be. */
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
