import { randomUUID } from 'node:crypto';
import { type Clock, wait } from '../../tool-base/clock.ts';
import { functionArn, requestContext, responseContext } from '../asynchronous/failure-records.ts';
import type { InvocationResult } from '../invoke-result.ts';
import { isRefusal } from '../services/local-call.ts';
import type { SendToQueue } from '../services/send-message.ts';
import type { DevFunction, StreamTrigger } from '../stack.ts';
import { type DiscardedBatch, runBatch } from './stream-attempts.ts';
import { StreamReader } from './stream-reader.ts';
import type { StreamPosition, StreamRecord, StreamSource } from './stream-source.ts';

export interface StreamMappingOptions {
  readonly trigger: StreamTrigger;
  readonly fn: Pick<DevFunction, 'name'>;
  /** `kinesisSource` or `dynamodbSource`, by the trigger's kind. */
  readonly source: StreamSource;
  readonly clock: Clock;
  /** Runs the function. A rejection counts as a failed invocation. */
  readonly invoke: (event: { readonly Records: readonly object[] }) => Promise<InvocationResult>;
  readonly send: SendToQueue;
  /**
   * The last sequence number that is done, by shard id. Pass the same map to the next mapping after a reload
   * to continue there; a shard without an entry starts at the trigger's starting position.
   */
  readonly checkpoints: Map<string, string>;
  /** Called after each invocation. */
  readonly onBatch?: (batch: EndedStreamBatch) => void;
  /** Called for records that are given up, after they were reported to the OnFailure queue, if any. */
  readonly onDiscarded?: (discarded: DiscardedBatch) => void;
  /** Called if the emulator did not answer, or a queue accepted nothing. */
  readonly onTrouble?: (error: unknown) => void;
}

/** An invocation that has ended. */
export interface EndedStreamBatch {
  readonly shardId: string;
  readonly records: number;
  /** How many records, from the first, are done. The others come again. */
  readonly done: number;
  readonly result: InvocationResult;
}

export interface StreamMapping {
  /** Stops reading, and resolves when the invocations in flight have ended. */
  stop(): Promise<void>;
}

const TROUBLE_PAUSE_MS = 1_000;

/**
 * Polls a stream and invokes a function, as Lambda's event source mapping for streams does
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html): each shard in order, one batch at a time.
 * Shards created later are not read.
 */
export function startStreamMapping(options: StreamMappingOptions): StreamMapping {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = options.trigger.isEnabled ? runShards(options, signal) : Promise.resolve();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function runShards(options: StreamMappingOptions, signal: AbortSignal): Promise<void> {
  const { source, clock, onTrouble } = options;
  let shards: readonly string[] = [];
  while (!signal.aborted && shards.length === 0) {
    try {
      shards = await source.shards();
    } catch (error) {
      // dynalite has no streams; a note says so.
      if (isRefusal(error, 'UnknownOperationException')) return;
      onTrouble?.(error);
    }
    if (shards.length === 0) await wait(clock, TROUBLE_PAUSE_MS, signal);
  }
  await Promise.all(shards.map((shardId) => runShard(options, shardId, signal)));
}

async function runShard(options: StreamMappingOptions, shardId: string, signal: AbortSignal): Promise<void> {
  const { trigger, source, clock, checkpoints, onBatch, onTrouble } = options;
  const { batchSize, windowMs, filters } = trigger;
  const reader = new StreamReader({
    source,
    shardId,
    batchSize,
    windowMs,
    filters,
    clock,
    signal,
    position: positionOf(checkpoints.get(shardId), trigger),
    onTrouble: (error) => onTrouble?.(error),
  });
  for (;;) {
    const batch = await reader.next();
    if (batch === undefined) return;
    const left = await runBatch(
      {
        ...trigger,
        clock,
        signal,
        invoke: (records) => invoke(options, records),
        onAttempt: (attempt) => onBatch?.({ shardId, ...attempt }),
        onDiscarded: (discarded) => discard(options, shardId, discarded),
      },
      batch.records,
    );
    const [first] = left;
    const done = first === undefined ? batch.until : before(batch.records, first);
    if (done !== undefined) checkpoints.set(shardId, done);
  }
}

function positionOf(checkpoint: string | undefined, { startingPosition }: StreamTrigger): StreamPosition {
  return checkpoint === undefined ? startingPosition : { after: checkpoint };
}

/** Returns the sequence number of the record before the first that is left. */
function before(records: readonly StreamRecord[], first: StreamRecord): string | undefined {
  return records[records.indexOf(first) - 1]?.sequenceNumber;
}

async function invoke(
  options: StreamMappingOptions,
  records: readonly StreamRecord[],
): Promise<InvocationResult> {
  try {
    return await options.invoke({ Records: records.map(({ record }) => record) });
  } catch (error) {
    const errorMessage = error instanceof Error ? error.message : String(error);
    return { ok: false, errorType: 'Error', errorMessage };
  }
}

async function discard(
  options: StreamMappingOptions,
  shardId: string,
  discarded: DiscardedBatch,
): Promise<void> {
  const { trigger, send, onDiscarded, onTrouble } = options;
  if (trigger.onFailure !== undefined) {
    try {
      await send(trigger.onFailure, JSON.stringify(discardRecord(options, shardId, discarded)));
    } catch (error) {
      onTrouble?.(error);
    }
  }
  onDiscarded?.(discarded);
}

/**
 * Returns the failure record, which does not contain records:
 * https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
function discardRecord(
  { trigger, fn, clock }: StreamMappingOptions,
  shardId: string,
  { records, condition, attempts, failure }: DiscardedBatch,
): object {
  const [first, last] = [records[0], records.at(-1)];
  const timeOf = (record: StreamRecord | undefined): string => new Date(record?.arrivedMs ?? 0).toISOString();
  return {
    requestContext: requestContext({ requestId: randomUUID(), condition, attempts }, functionArn(fn)),
    responseContext:
      failure === undefined
        ? { statusCode: 200, executedVersion: '$LATEST', functionError: null }
        : responseContext(failure),
    version: '1.0',
    timestamp: new Date(clock.now()).toISOString(),
    [trigger.kind === 'kinesis' ? 'KinesisBatchInfo' : 'DDBStreamBatchInfo']: {
      shardId,
      startSequenceNumber: first?.sequenceNumber,
      endSequenceNumber: last?.sequenceNumber,
      approximateArrivalOfFirstRecord: timeOf(first),
      approximateArrivalOfLastRecord: timeOf(last),
      batchSize: records.length,
      streamArn: trigger.streamArn,
    },
  };
}
