import {
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DynamoDBRecord, KinesisStreamRecord, StreamRecord } from 'aws-lambda';
import { type BatchRecord, createBatchProcessor, type RecordHandler } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { awsJsonCall } from './support/aws-json-call.ts';
import { startComponent } from './support/start-component.ts';

const quiet = { onEvent: () => undefined };

describeWith([componentNamed('dynamodb-local')], "a table's stream of DynamoDB Local", () => {
  let service: LocalService;
  let client: DynamoDBClient;
  beforeAll(async () => {
    service = await startComponent('dynamodb-local');
    client = emulatorClient(service.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  it('is processed in the order of each item; what was done does not run again after a failure', async () => {
    const { TableDescription } = await client.send(
      new CreateTableCommand({
        TableName: 'orders',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    const a = { id: { S: 'a' } };
    const table = { TableName: 'orders' };
    await client.send(
      new PutItemCommand({ ...table, Item: { ...a, amount: { N: '1' }, tags: { SS: ['x', 'y'] } } }),
    );
    await client.send(new PutItemCommand({ ...table, Item: { id: { S: 'b' }, amount: { N: '1E+38' } } }));
    await client.send(
      new UpdateItemCommand({
        ...table,
        Key: a,
        UpdateExpression: 'SET amount = :two',
        ExpressionAttributeValues: { ':two': { N: '2' } },
      }),
    );
    await client.send(new DeleteItemCommand({ ...table, Key: a }));

    const streamArn = TableDescription?.LatestStreamArn as string;
    const event = { Records: await changesOf(service.endpoint, streamArn) };
    const runs: string[] = [];
    const seen: BatchRecord[] = [];
    let isBroken = true;
    const handler: RecordHandler = (record) => {
      if (record.source !== 'dynamodb-stream') throw new Error('another source');
      runs.push(`${record.eventName} ${String(record.keys['id'])}`);
      if (record.eventName === 'MODIFY' && isBroken) throw new Error('declined');
      seen.push(record);
    };
    const store = dynamoDBStore({ client, tableName: await createClaimsTable(client) });
    const process = createBatchProcessor(handler, { store, observer: quiet });

    expect(await process(event)).toEqual({
      batchItemFailures: [{ itemIdentifier: event.Records[2]?.dynamodb?.SequenceNumber }],
    });
    isBroken = false;
    expect(await process({ Records: event.Records.slice(2) })).toEqual({ batchItemFailures: [] });
    expect(await process(event)).toEqual({ batchItemFailures: [] });

    expect(runs.slice(0, 3).toSorted((x, y) => x.localeCompare(y))).toEqual([
      'INSERT a',
      'INSERT b',
      'MODIFY a',
    ]);
    expect(runs.slice(3)).toEqual(['MODIFY a', 'REMOVE a']);
    expect(seen.map(({ body }) => body)).toEqual(
      expect.arrayContaining([
        {
          eventName: 'INSERT',
          keys: { id: 'a' },
          newImage: { id: 'a', amount: 1, tags: new Set(['x', 'y']) },
          oldImage: undefined,
        },
        {
          eventName: 'REMOVE',
          keys: { id: 'a' },
          newImage: undefined,
          oldImage: { id: 'a', amount: 2, tags: new Set(['x', 'y']) },
        },
      ]),
    );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(4);
  });
});

describeWith([componentNamed('ministack')], 'a Kinesis stream of MiniStack', () => {
  let service: LocalService;
  let client: DynamoDBClient;
  beforeAll(async () => {
    service = await startComponent('ministack');
    client = emulatorClient(service.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  it('is processed in the order of each partition key, and not a second time', async () => {
    const call = <Answer>(action: string, input: object): Promise<Answer> =>
      awsJsonCall(service.endpoint, 'kinesis', `Kinesis_20131202.${action}`, {
        StreamName: 'orders',
        ...input,
      });
    await call('CreateStream', { ShardCount: 1 });
    const ids = ['a1', 'b1', 'a2', 'b2', 'a3'];
    for (const id of ids) {
      const Data = Buffer.from(JSON.stringify({ id })).toString('base64');
      await call('PutRecord', { PartitionKey: id.charAt(0), Data });
    }
    const event = { Records: await recordsOf(call) };

    const runs: string[] = [];
    const handler: RecordHandler<{ id: string }> = ({ body }) => void runs.push(body.id);
    const store = dynamoDBStore({ client, tableName: await createClaimsTable(client) });
    const process = createBatchProcessor(handler, { store, observer: quiet });
    expect(await process(event)).toEqual({ batchItemFailures: [] });
    expect(await process(event)).toEqual({ batchItemFailures: [] });

    expect(runs).toHaveLength(5);
    for (const key of 'ab') {
      const ofKey = (id: string): boolean => id.startsWith(key);
      expect(runs.filter(ofKey)).toEqual(ids.filter(ofKey));
    }
  });
});

/** The changes of a stream with one shard, as Lambda puts them into an event. */
async function changesOf(endpoint: string, streamArn: string): Promise<DynamoDBRecord[]> {
  const call = <Answer>(action: string, input: object): Promise<Answer> =>
    awsJsonCall(endpoint, 'dynamodb', `DynamoDBStreams_20120810.${action}`, input);
  const { StreamDescription: stream } = await call<{
    StreamDescription: { Shards: { ShardId: string }[] };
  }>('DescribeStream', { StreamArn: streamArn });
  const records: DynamoDBRecord[] = [];
  for (const { ShardId } of stream.Shards) {
    const { ShardIterator } = await call<{ ShardIterator: string }>('GetShardIterator', {
      StreamArn: streamArn,
      ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    });
    const { Records } = await call<{ Records: (DynamoDBRecord & { dynamodb: StreamRecord })[] }>(
      'GetRecords',
      {
        ShardIterator,
      },
    );
    records.push(...Records.map((record) => ({ ...record, eventSourceARN: streamArn })));
  }
  return records;
}

/** The records of a stream's first shard, as Lambda puts them into an event. */
async function recordsOf(
  call: <Answer>(action: string, input: object) => Promise<Answer>,
): Promise<KinesisStreamRecord[]> {
  const { StreamDescription: stream } = await call<{
    StreamDescription: { StreamARN: string; Shards: { ShardId: string }[] };
  }>('DescribeStream', {});
  const shardId = stream.Shards[0]?.ShardId as string;
  const { ShardIterator } = await call<{ ShardIterator: string }>('GetShardIterator', {
    ShardId: shardId,
    ShardIteratorType: 'TRIM_HORIZON',
  });
  const { Records } = await call<{
    Records: {
      SequenceNumber: string;
      PartitionKey: string;
      Data: string;
      ApproximateArrivalTimestamp: number;
    }[];
  }>('GetRecords', { ShardIterator });
  return Records.map(({ SequenceNumber, PartitionKey, Data, ApproximateArrivalTimestamp }) => ({
    kinesis: {
      kinesisSchemaVersion: '1.0',
      partitionKey: PartitionKey,
      sequenceNumber: SequenceNumber,
      data: Data,
      approximateArrivalTimestamp: ApproximateArrivalTimestamp,
    },
    eventSource: 'aws:kinesis',
    eventVersion: '1.0',
    eventID: `${shardId}:${SequenceNumber}`,
    eventName: 'aws:kinesis:record',
    invokeIdentityArn: 'arn:aws:iam::123456789012:role/orders',
    awsRegion: 'us-east-1',
    eventSourceARN: stream.StreamARN,
  }));
}
