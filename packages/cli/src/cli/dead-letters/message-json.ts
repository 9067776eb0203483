import {
  claimJson,
  type ClaimJson,
  type DeadLetterMessage,
  type SentBy,
  type StoredError,
} from 'batchlatch/operations';
import { isoTime } from '../../tool-base/iso-time.ts';

/** The output of `--json` for a message of a dead-letter queue. */
export interface MessageJson {
  readonly messageId: string;
  readonly recordId: string;
  readonly sentAt?: string;
  readonly receiveCount: number;
  readonly messageGroupId?: string;
  readonly sentBy: SentBy;
  readonly source?: string;
  readonly error?: StoredError;
  readonly key?: string;
  readonly claims: readonly ClaimJson[];
  /** With `--show-body`. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** With `--show-body`. */
  readonly body?: string;
}

export function messageJson(message: DeadLetterMessage, now: number, showBody = false): MessageJson {
  const { body, attributes, sentAt, claims, ...rest } = message;
  const time = isoTime(sentAt);
  return {
    ...rest,
    ...(time !== undefined && { sentAt: time }),
    claims: claims.map((claim) => claimJson(claim, now)),
    ...(showBody && { attributes, body }),
  };
}
