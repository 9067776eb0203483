import { LOCAL_REGION, nameInArn, type Places } from '../places.ts';
import { type Answer, localCall } from '../services/local-call.ts';
import { positionMembers, type StreamRecord, type StreamSource } from './stream-source.ts';

/** The limit of `GetRecords`. */
const MOST_RECORDS = 1_000;

interface TableRecord {
  readonly dynamodb: { readonly SequenceNumber: string; readonly ApproximateCreationDateTime: number };
}

/** Returns the stream of a local table, by its ARN in the template. */
export function dynamodbSource(places: Places, streamArn: string): StreamSource {
  const [tableArn = ''] = streamArn.split('/stream/');
  const call = (operation: string, input: object): Promise<Answer> =>
    localCall(places.dynamodb, `DynamoDBStreams_20120810.${operation}`, input);
  return {
    async shards() {
      const StreamArn = await emulatedStream(call, nameInArn(tableArn));
      const { StreamDescription: description } = await call('DescribeStream', { StreamArn });
      const { Shards: shards } = description as { readonly Shards: readonly { readonly ShardId: string }[] };
      return shards.map(({ ShardId }) => ShardId);
    },
    async iterator(ShardId, position) {
      const StreamArn = await emulatedStream(call, nameInArn(tableArn));
      const where = positionMembers(position, 'SequenceNumber');
      const { ShardIterator: iterator } = await call('GetShardIterator', { StreamArn, ShardId, ...where });
      return iterator as string;
    },
    async read(_shardId, ShardIterator, limit) {
      const answer = await call('GetRecords', { ShardIterator, Limit: Math.min(limit, MOST_RECORDS) });
      const { Records: records, NextShardIterator: next } = answer as {
        readonly Records: readonly TableRecord[];
        readonly NextShardIterator?: string | null;
      };
      return { records: records.map((one) => recordOf(one, streamArn)), next: next ?? undefined };
    },
  };
}

/** Returns the emulator's own ARN of the stream. */
async function emulatedStream(
  call: (operation: string, input: object) => Promise<Answer>,
  table: string,
): Promise<string> {
  const { Streams: streams } = await call('ListStreams', { TableName: table });
  const [first] = streams as readonly { readonly StreamArn: string }[];
  if (first === undefined) throw new Error(`The table ${table} has no stream: set its StreamSpecification`);
  return first.StreamArn;
}

function recordOf(one: TableRecord, streamArn: string): StreamRecord {
  const record = { ...one, awsRegion: LOCAL_REGION, eventSourceARN: streamArn };
  return {
    sequenceNumber: one.dynamodb.SequenceNumber,
    arrivedMs: one.dynamodb.ApproximateCreationDateTime * 1_000,
    record,
    filtered: { value: record },
  };
}
