import type { ClaimJson } from 'batchlatch/operations';

/** `POST /api/send/plan` */
export interface SendPlanRequest {
  readonly queue: string;
  readonly body: string;
  readonly groupId?: string;
  readonly dedupId?: string;
  /** Whether to release the claim that would drop the message. */
  readonly release?: boolean;
}

/** What a message would meet. */
export interface SendPlanJson {
  readonly plan: string;
  /** The key that the body gives; absent if keys are not derived from bodies here. */
  readonly key?: string;
  /** The claim with this key. */
  readonly claim?: ClaimJson;
  /** `runs`: the handler runs. The others: the claim keeps it from running. `unknown`: no key is known. */
  readonly effect: 'runs' | 'duplicate' | 'parked' | 'conflict' | 'unknown';
  /** Whether the claim is released first. */
  readonly releases: boolean;
  readonly expiresAt: string;
}

/** `POST /api/send` */
export interface SendRequest {
  readonly plan: string;
  readonly reason: string;
}

/** The answer to `POST /api/send`. */
export interface SentJson {
  /** Whether a request without an answer was repeated, so that a standard queue may have the message twice. */
  readonly mayBeTwice: boolean;
}
