import { describe, expect, it } from '@jest/globals';
import type { KinesisStreamRecord } from 'aws-lambda';
import { type BatchProcessorOptions, PermanentError, type RecordHandler } from 'batchlatch';
import { dynamoDBStreamEvent, kinesisEvent, pipesEvent } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { type Bench, bench, failed, inTime } from '../batch/bench.ts';
import { onEachStore } from '../batch/on-each-store.ts';
import { runShard, type ShardRun } from '../support/shard-mapping.ts';

/** The records of a shard: `a2` is of the partition key `a`. */
function shardOf(ids: readonly string[]): KinesisStreamRecord[] {
  return kinesisEvent(ids.map((id) => ({ body: id, partitionKey: id.charAt(0) }))).Records;
}

/** Notes who runs, in order; `failures` says how often each fails before it succeeds. */
function noting(runs: string[], failures: Record<string, number> = {}): RecordHandler {
  return ({ rawBody: id }) => {
    runs.push(id);
    const left = failures[id] ?? 0;
    failures[id] = left - 1;
    if (left > 0) throw new Error('declined');
  };
}

const idOf = (record: KinesisStreamRecord): string => Buffer.from(record.kinesis.data, 'base64').toString();

describe('O4: a failure in a stream', () => {
  onEachStore((makeStore) => {
    function deliver(
      b: Bench,
      ids: readonly string[],
      handler: RecordHandler,
      options: BatchProcessorOptions & {
        batchSize?: number;
        maximumRetryAttempts?: number;
        bisect?: boolean;
      } = {},
    ): Promise<ShardRun<KinesisStreamRecord>> {
      const { batchSize = 100, maximumRetryAttempts, bisect = false, ...processorOptions } = options;
      return runShard({
        shard: shardOf(ids),
        batchSize,
        bisectBatchOnFunctionError: bisect,
        ...(maximumRetryAttempts !== undefined && { maximumRetryAttempts }),
        invoke: b.processor(handler, processorOptions),
      });
    }

    it('brings everything from the checkpoint on again; what was done of it is not run again', async () => {
      const runs: string[] = [];
      const ids = ['a1', 'b1', 'a2', 'c1', 'a3', 'b2'];
      const { batches } = await deliver(bench(makeStore), ids, noting(runs, { a2: 1 }));
      expect(batches.map((batch) => batch.map(idOf))).toEqual([ids, ['a2', 'c1', 'a3', 'b2']]);
      // The first delivery ran all but what waits behind a2 in its key.
      expect(runs.slice(0, 5).toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
      expect(runs.slice(5)).toEqual(['a2', 'a3']);
    });

    it('answers with the lowest of several failures alone', async () => {
      const b = bench(makeStore);
      const event = { Records: shardOf(['a1', 'b1', 'c1', 'd1']) };
      const answer = await b.processor(noting([], { c1: 1, b1: 1 }))(event);
      expect(failed(answer)).toEqual([event.Records[1]?.kinesis.sequenceNumber]);
    });

    it('stops its own key alone, when it is a failure for good, until Lambda gives the batch up', async () => {
      const runs: string[] = [];
      const handler: RecordHandler = ({ rawBody: id }) => {
        runs.push(id);
        if (id === 'a2') throw new PermanentError('unknown product');
      };
      const ids = ['a1', 'a2', 'a3', 'b1'];
      const { batches, discarded } = await deliver(bench(makeStore), ids, handler, {
        maximumRetryAttempts: 3,
      });
      expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1']); // parked: it did not run again
      expect(batches.map((batch) => idOf(batch[0] as KinesisStreamRecord))).toEqual(['a1', 'a2', 'a2', 'a2']);
      expect(discarded.map(idOf)).toEqual(['a2', 'a3', 'b1']);
    });

    it('loses only itself where batches are bisected', async () => {
      const runs: string[] = [];
      const handler: RecordHandler = ({ rawBody: id }) => {
        runs.push(id);
        if (id === 'a1') throw new PermanentError('unknown product');
      };
      const ids = ['a1', 'b1', 'c1', 'a2'];
      const { discarded } = await deliver(bench(makeStore), ids, handler, {
        maximumRetryAttempts: 4,
        bisect: true,
      });
      expect(discarded.map(idOf)).toEqual(['a1']);
      expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
    });

    it('that nobody can read holds back its own key, and is named by its number', async () => {
      const b = bench(makeStore);
      const runs: string[] = [];
      const records = shardOf(['a1', 'b1', 'a2', 'b2']);
      const unread = { ...records[1], kinesis: { ...records[1]?.kinesis, data: undefined } };
      const answer = await b.processor(noting(runs))({ Records: records.with(1, unread as never) });
      expect(failed(answer)).toEqual([records[1]?.kinesis.sequenceNumber]);
      expect(runs.toSorted()).toEqual(['a1', 'a2']);
    });

    it('that has no number comes again from the record before it', async () => {
      const b = bench(makeStore);
      const runs: string[] = [];
      const records = shardOf(['a1', 'b1', 'c1']);
      const answer = await b.processor(noting(runs))({ Records: records.with(1, {} as never) });
      expect(failed(answer)).toEqual([records[0]?.kinesis.sequenceNumber]);
      expect(runs.toSorted()).toEqual(['a1', 'c1']);
    });

    it('that has no number, and none before it, fails the batch', async () => {
      const b = bench(makeStore);
      const records = shardOf(['a1', 'b1']);
      await expect(b.processor(noting([]))({ Records: records.with(0, {} as never) })).rejects.toMatchObject({
        code: 'BATCHLATCH_UNNAMED_RECORD',
      });
    });

    it('holds back the changes of the same item, and of no other', async () => {
      const b = bench(makeStore);
      const runs: string[] = [];
      const event = dynamoDBStreamEvent(
        ['a1', 'b1', 'a2', 'b2'].map((id) => ({ keys: { id: id.charAt(0) }, newImage: { version: id } })),
      );
      const handler: RecordHandler = (record) => {
        const version = record.source === 'dynamodb-stream' ? String(record.newImage?.['version']) : '';
        runs.push(version);
        if (version === 'a1') throw new Error('declined');
      };
      const answer = await b.processor(handler)(event);
      expect(failed(answer)).toEqual([event.Records[0]?.dynamodb?.SequenceNumber]);
      expect(runs.toSorted()).toEqual(['a1', 'b1', 'b2']);
    });

    it('of a pipe names each failure, because a pipe may bring again only what is named', async () => {
      const b = bench(makeStore);
      const event = kinesisEvent(
        ['a1', 'b1', 'a2', 'c1'].map((id) => ({ body: id, partitionKey: id.charAt(0) })),
      );
      const answer = await b.processor(noting([], { a1: 1, c1: 1 }))(pipesEvent(event));
      expect(answer?.batchItemFailures).toEqual(
        [0, 2, 3].map((index) => ({ itemIdentifier: event.Records[index]?.eventID })),
      );
    });
  });

  it('keeps the order of every key and runs nothing twice, whatever fails how often', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ key: fc.constantFrom('a', 'b', 'c'), failures: fc.integer({ min: 0, max: 2 }) }),
          {
            maxLength: 24,
          },
        ),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (given, batchSize, concurrency, bisectBatchOnFunctionError) => {
          const b = bench();
          const ids = given.map(({ key }, index) => `${key}${index}`);
          const failures = Object.fromEntries(
            given.map((one, index) => [ids[index] as string, one.failures]),
          );
          const done: string[] = [];
          const handler: RecordHandler = async ({ rawBody: id }) => {
            await Promise.resolve();
            const left = failures[id] as number;
            failures[id] = left - 1;
            if (left > 0) throw new Error('declined');
            done.push(id);
          };
          const { discarded } = await inTime(
            b.clock,
            runShard({
              shard: shardOf(ids),
              batchSize,
              bisectBatchOnFunctionError,
              invoke: b.processor(handler, { concurrency }),
            }),
          );
          expect(discarded).toEqual([]);
          expect(done.toSorted()).toEqual(ids.toSorted());
          for (const key of 'abc') {
            const ofKey = (id: string): boolean => id.startsWith(key);
            expect(done.filter(ofKey)).toEqual(ids.filter(ofKey));
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
