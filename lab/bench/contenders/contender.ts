import type { Context, SQSEvent } from 'aws-lambda';
import type { Order } from '../workload.ts';

/** A Lambda handler for SQS batches, made by one of the libraries or by hand. */
export type BatchHandler = (
  event: SQSEvent,
  context: Context,
) => Promise<{
  readonly batchItemFailures: readonly unknown[];
}>;

export interface ContenderSetup {
  /** The emulator, PostgreSQL or Redis; not looked at by contenders that keep claims in memory. */
  readonly endpoint: string;
  /** Of DynamoDB or PostgreSQL; in Redis, what keys begin with. A table of PostgreSQL is made by the contender. */
  readonly tableName: string;
  readonly handler: (order: Order) => Promise<void>;
}

export type MakeBatchHandler = (setup: ContenderSetup) => BatchHandler | Promise<BatchHandler>;
