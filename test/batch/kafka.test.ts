import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { gzip, kafka, type RecordHandler, snsEnvelope } from 'batchlatch';
import { kafkaEvent } from 'batchlatch/testing';
import { bench } from './bench.ts';

const event = kafkaEvent([
  { partition: 0, key: 'a', value: 'a1' },
  { partition: 0, key: 'b', value: 'b1' },
  { partition: 0, key: 'a', value: 'a2' },
  { partition: 1, key: 'c', value: 'c1' },
]);

/** Notes what runs, and fails for one value as long as it is in `broken`. */
function recorder(runs: string[], broken: Set<unknown>): RecordHandler {
  return ({ body }) => {
    runs.push(String(body));
    if (broken.has(body)) throw new Error('declined');
  };
}

describe('A batch of Kafka', () => {
  it('goes on after a failure in the other partitions, and hands back what is behind it in its own', async () => {
    const runs: string[] = [];
    const answer = await bench().processor(recorder(runs, new Set(['b1'])))(event);
    expect(answer).toEqual({
      batchItemFailures: [
        { itemIdentifier: { partition: 'orders-0', offset: 1 } },
        { itemIdentifier: { partition: 'orders-0', offset: 2 } },
      ],
    });
    expect(runs.toSorted()).toEqual(['a1', 'b1', 'c1']);
  });

  it('goes on in the same partition where lanes are keys', async () => {
    const runs: string[] = [];
    const process = bench().processor(recorder(runs, new Set(['b1'])), { source: kafka({ lanes: 'key' }) });
    expect(await process(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: { partition: 'orders-0', offset: 1 } }],
    });
    expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('runs nothing twice when all of it is delivered again', async () => {
    const runs: string[] = [];
    const broken = new Set<unknown>(['b1']);
    const process = bench().processor(recorder(runs, broken));
    await process(event);
    broken.clear();
    expect(await process(event)).toEqual({ batchItemFailures: [] });
    expect(await process(event)).toEqual({ batchItemFailures: [] });
    expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1', 'b1', 'c1']);
  });

  it('comes again as a whole where a record without an offset failed; the others are done', async () => {
    const runs: string[] = [];
    const damaged = { ...event, records: { ...event.records, 'orders-2': [{}] } };
    await expect(bench().processor(recorder(runs, new Set()))(damaged)).rejects.toMatchObject({
      code: 'BATCHLATCH_UNNAMED_RECORD',
    });
    expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('has bytes for decoders, and nothing to decode where a record is a tombstone', async () => {
    const bodies: unknown[] = [];
    const handler: RecordHandler = ({ body }) => void bodies.push(body);
    const zipped = kafkaEvent([{ value: gzipSync('{"orderId":"A"}') }, { value: undefined }]);
    await bench().processor(handler, { decode: gzip() })(zipped);
    await bench().processor(handler, { decode: snsEnvelope() })(kafkaEvent([{ value: undefined }]));
    expect(bodies).toEqual([{ orderId: 'A' }, null, null]);
  });
});
