import type { Context } from 'aws-lambda';
import type { BatchResponse } from 'batchlatch';

/** What a stream's record is named by in the answer. */
type StreamRecord = { readonly kinesis: { readonly sequenceNumber: string } };

export interface ShardMappingOptions<Shard extends StreamRecord> {
  /** The records of one shard in their order. */
  readonly shard: readonly Shard[];
  readonly batchSize: number;
  /** How often a batch is delivered again that did not get further. Default: until its records expire, so forever. */
  readonly maximumRetryAttempts?: number;
  /** Halves a batch whose invocation failed. Default: no. */
  readonly bisectBatchOnFunctionError?: boolean;
  readonly invoke: (event: { Records: Shard[] }, context?: Context) => Promise<BatchResponse>;
}

export interface ShardRun<Shard> {
  /** The batches in the order of their delivery. */
  readonly batches: Shard[][];
  /** What was given up, and would go to the on-failure destination. */
  readonly discarded: Shard[];
}

/**
 * Delivers a shard as Lambda's event source mapping for streams does with `ReportBatchItemFailures`: one batch at a
 * time; after an answer that names records it delivers again from the one with the lowest sequence number on; after a
 * failed invocation, or an answer with an identifier it does not know, the whole batch. The next records come after
 * all of a batch is done or given up. What is bisected has the retries of its parent. Not documented is what bisecting
 * does after an answer that names the first record; here it is then as after a failed invocation.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 */
export async function runShard<Shard extends StreamRecord>(
  options: ShardMappingOptions<Shard>,
): Promise<ShardRun<Shard>> {
  const { shard, batchSize, maximumRetryAttempts = Infinity, bisectBatchOnFunctionError = false } = options;
  const batches: Shard[][] = [];
  const discarded: Shard[] = [];

  async function deliver(batch: readonly Shard[], attempts: number): Promise<void> {
    if (batch.length === 0) return;
    if (attempts > maximumRetryAttempts) {
      discarded.push(...batch);
      return;
    }
    batches.push([...batch]);
    const checkpoint = await checkpointOf(batch);
    if (checkpoint === 'done') return;
    // A checkpoint beyond the first record is progress: what is left is a batch of its own.
    if (checkpoint > 0) return deliver(batch.slice(checkpoint), attempts + 1);
    if (bisectBatchOnFunctionError && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      await deliver(batch.slice(0, half), attempts + 1);
      return deliver(batch.slice(half), attempts + 1);
    }
    return deliver(batch, attempts + 1);
  }

  async function checkpointOf(batch: readonly Shard[]): Promise<number | 'done'> {
    let answer: BatchResponse;
    try {
      answer = await options.invoke({ Records: structuredClone(batch) as Shard[] });
    } catch {
      return 0;
    }
    const failed = answer.batchItemFailures.map(({ itemIdentifier }) =>
      batch.findIndex(({ kinesis }) => kinesis.sequenceNumber === itemIdentifier),
    );
    return failed.length === 0 ? 'done' : Math.max(0, Math.min(...failed));
  }

  for (let at = 0; at < shard.length; at += batchSize) await deliver(shard.slice(at, at + batchSize), 0);
  return { batches, discarded };
}
