import { LOCAL_ACCOUNT, LOCAL_REGION, nameInArn, type Places } from '../places.ts';
import { type Answer, localCall } from '../services/local-call.ts';
import { positionMembers, type StreamRecord, type StreamSource } from './stream-source.ts';

/** The limit of `GetRecords`. */
const MOST_RECORDS = 10_000;

interface KinesisRecord {
  readonly SequenceNumber: string;
  readonly PartitionKey: string;
  /** Base64. */
  readonly Data: string;
  /** Epoch seconds. */
  readonly ApproximateArrivalTimestamp: number;
}

/** Returns a local Kinesis stream. */
export function kinesisSource(places: Places, streamArn: string): StreamSource {
  const StreamName = nameInArn(streamArn);
  const call = (operation: string, input: object): Promise<Answer> =>
    localCall(places.kinesis, `Kinesis_20131202.${operation}`, input);
  return {
    async shards() {
      const { Shards: shards } = await call('ListShards', { StreamName });
      return (shards as readonly { readonly ShardId: string }[]).map(({ ShardId }) => ShardId);
    },
    async iterator(ShardId, position) {
      const where = positionMembers(position, 'StartingSequenceNumber');
      const { ShardIterator: iterator } = await call('GetShardIterator', { StreamName, ShardId, ...where });
      return iterator as string;
    },
    async read(shardId, ShardIterator, limit) {
      const answer = await call('GetRecords', { ShardIterator, Limit: Math.min(limit, MOST_RECORDS) });
      const { Records: records, NextShardIterator: next } = answer as {
        readonly Records: readonly KinesisRecord[];
        readonly NextShardIterator?: string | null;
      };
      return { records: records.map((one) => recordOf(one, shardId, streamArn)), next: next ?? undefined };
    },
  };
}

function recordOf(one: KinesisRecord, shardId: string, streamArn: string): StreamRecord {
  const kinesis = {
    kinesisSchemaVersion: '1.0',
    partitionKey: one.PartitionKey,
    sequenceNumber: one.SequenceNumber,
    data: one.Data,
    approximateArrivalTimestamp: one.ApproximateArrivalTimestamp,
  };
  const record = {
    kinesis,
    eventSource: 'aws:kinesis',
    eventVersion: '1.0',
    eventID: `${shardId}:${one.SequenceNumber}`,
    eventName: 'aws:kinesis:record',
    invokeIdentityArn: `arn:aws:iam::${LOCAL_ACCOUNT}:role/local`,
    awsRegion: LOCAL_REGION,
    eventSourceARN: streamArn,
  };
  const text = Buffer.from(one.Data, 'base64').toString('utf8');
  return {
    sequenceNumber: one.SequenceNumber,
    arrivedMs: one.ApproximateArrivalTimestamp * 1_000,
    record,
    // Patterns name `data` and `partitionKey` at the top level.
    filtered: { value: { ...record, ...kinesis }, payload: { name: 'data', text } },
  };
}
