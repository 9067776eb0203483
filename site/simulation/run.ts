import type { Claim } from '../../src/claims/claim.ts';

export type MomentKind =
  | 'sent'
  | 'received'
  | 'claimed'
  | 'took over'
  | 'duplicate'
  | 'conflict'
  | 'is parked'
  | 'handler starts'
  | 'effect'
  | 'effect again'
  | 'handler fails'
  | 'completed'
  | 'failed'
  | 'parked'
  | 'released'
  | 'too late'
  | 'no answer'
  | 'dies'
  | 'stands still'
  | 'goes on'
  | 'times out'
  | 'answers'
  | 'deleted'
  | 'dead letter';

/** Something that happened, to whom and when, in milliseconds since the run began. */
export interface Moment {
  readonly atMs: number;
  readonly kind: MomentKind;
  /** The process, such as `A` or, after it died once, `A2`; none for what the queue does. */
  readonly process: string | undefined;
  readonly order: string | undefined;
  readonly text: string;
}

/** How a claim stands from a time on. */
export interface ClaimSpan {
  readonly order: string;
  readonly fromMs: number;
  readonly status: Claim['status'];
  readonly attempt: number;
  readonly process: string;
  readonly leaseUntilMs: number;
}

/** One invocation: what a process works on, from when to when, and how it ended. */
export interface InvocationSpan {
  readonly process: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly ended: 'answered' | 'died' | 'timed out';
}

/** A whole run, to be shown. */
export interface Run {
  readonly moments: readonly Moment[];
  readonly claims: readonly ClaimSpan[];
  readonly invocations: readonly InvocationSpan[];
  readonly orders: readonly string[];
  /** How often the provider was asked to charge an order, and how often it did: it knows the idempotency keys. */
  readonly asked: Readonly<Record<string, number>>;
  readonly charged: Readonly<Record<string, number>>;
  readonly endMs: number;
}
