import type { AttemptRules } from '../attempts/rules.ts';
import type { Namespace } from '../keys/idempotency-key.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { QueueUrlOf } from '../queues/queue-url.ts';
import type { DecodeStep } from '../sources/decode-step.ts';
import type { Source } from '../sources/source.ts';

/** The options after they were checked, with their defaults. */
export interface Settings extends AttemptRules {
  readonly source: Source;
  readonly key: KeySelector;
  /** Undefined: the function's name. */
  readonly namespace: Namespace | undefined;
  readonly payloadValidation: KeySelector | undefined;
  readonly decode: readonly DecodeStep[];
  readonly concurrency: number;
  readonly settleLingerMs: number;
  readonly leaseMs: number | undefined;
  readonly deadlineMarginMs: number;
  readonly recordTimeoutMs: number | undefined;
  readonly retryable: ((error: unknown) => boolean) | undefined;
  /** Undefined: by the ARN that records carry. */
  readonly queueUrl: QueueUrlOf | undefined;
  /** Of an emulator, where the environment names one. */
  readonly sqsEndpoint: string | undefined;
}
