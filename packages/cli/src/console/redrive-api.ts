import type { CompletedMessages, WhyLeft } from 'batchlatch/operations';
import type { MessageJson } from './api.ts';

/** `POST /api/dead-letters/plan` */
export interface RedrivePlanRequest {
  readonly queue: string;
  readonly which: 'all' | readonly string[];
  readonly completed?: CompletedMessages;
}

/** A preview of a redrive. */
export interface RedrivePlanJson {
  readonly plan: string;
  readonly moved: number;
  readonly released: number;
  readonly deleted: number;
  readonly left: Readonly<Partial<Record<WhyLeft, number>>>;
  readonly notFound: readonly string[];
  readonly notSeen: number;
  readonly expiresAt: string;
}

/** `result` of a job `redrive`. */
export interface RedriveResultJson {
  readonly moved: number;
  readonly released: number;
  readonly deleted: number;
  readonly left: Readonly<Partial<Record<WhyLeft, number>>>;
  readonly notFound: readonly string[];
  readonly undeleted: number;
  readonly notSeen: number;
  readonly stillHidden: number;
}

/** `POST /api/dead-letters/of-claim`: the messages of a claim, by queue. */
export interface MessagesOfClaimJson {
  readonly queues: readonly {
    readonly queue: string;
    readonly messages: readonly MessageJson[];
    /** The number of messages that were looked at. */
    readonly looked: number;
    readonly isWhole: boolean;
    readonly error?: string;
  }[];
}
