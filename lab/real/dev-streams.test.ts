import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createBatchProcessor, dynamoDBStream, kinesis } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { systemClock } from '../../src/base/clock.ts';
import type { Invoke } from '../../packages/cli/src/dev/invoke-result.ts';
import { startStreamMappings } from '../../packages/cli/src/dev/mappings/stream-mappings.ts';
import { choosePlaces, type Places } from '../../packages/cli/src/dev/places.ts';
import { localCall } from '../../packages/cli/src/dev/services/local-call.ts';
import { type Services, startServices } from '../../packages/cli/src/dev/services/start-services.ts';
import { readStack } from '../../packages/cli/src/dev/template/read-stack.ts';
import type { DevStack } from '../../packages/cli/src/dev/stack.ts';
import { until } from '../../test/support/until.ts';

const MAPPING =
  'StartingPosition: TRIM_HORIZON, FunctionResponseTypes: [ReportBatchItemFailures], BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1, DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt Failed.Arn } }';
const TEMPLATE = `
Resources:
  Failed: { Type: AWS::SQS::Queue }
  Views: { Type: AWS::Kinesis::Stream, Properties: { ShardCount: 2 } }
  Charges:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      StreamSpecification: { StreamViewType: NEW_AND_OLD_IMAGES }
  Viewed: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, Events: {
    E: { Type: Kinesis, Properties: { Stream: !GetAtt Views.Arn, ${MAPPING},
      FilterCriteria: { Filters: [{ Pattern: '{"data":{"page":[{"anything-but":"unwanted"}]}}' }] } } } } } }
  Charged: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, Events: {
    E: { Type: DynamoDB, Properties: { Stream: !GetAtt Charges.StreamArn, ${MAPPING} } } } } }
`;

let services: Services;
let places: Places;
let stack: DevStack;
beforeAll(async () => {
  places = await choosePlaces();
  stack = readStack({ file: '/shop/template.yaml', text: TEMPLATE }, places);
  services = await startServices(stack, places);
});
afterAll(() => services.stop());

it('What is put into streams reaches the handlers of batchlatch once, in order, and what fails for good the queue', async () => {
  const seen: string[] = [];
  const store = memoryStore();
  const viewed = createBatchProcessor(
    ({ body, partitionKey }) => {
      seen.push(`${partitionKey} ${String(body.page)}`);
      return Promise.resolve();
    },
    { source: kinesis<{ page?: string }>(), store },
  );
  const charged = createBatchProcessor(
    ({ eventName, newImage }) => {
      const { id = '' } = (newImage ?? {}) as { readonly id?: string };
      if (id === 'bad') throw new Error('no');
      seen.push(`${eventName} ${id}`);
      return Promise.resolve();
    },
    { source: dynamoDBStream(), store },
  );
  const invoke: Invoke = async (id, event) => {
    const handler = (id === 'Viewed' ? viewed : charged) as (
      event: unknown,
      context: object,
    ) => Promise<unknown>;
    return { ok: true, payload: JSON.parse(JSON.stringify(await handler(event, {}))) as unknown };
  };
  const troubles: unknown[] = [];
  let discarded = 0;
  const mappings = startStreamMappings({
    stack,
    places,
    clock: systemClock,
    invoke,
    onDiscarded: () => (discarded += 1),
    onTrouble: (_id, _trigger, error) => troubles.push(error),
  });
  for (const page of ['a', 'unwanted', 'b', 'c']) {
    const Data = Buffer.from(JSON.stringify({ page })).toString('base64');
    await localCall(places.kinesis, 'Kinesis_20131202.PutRecord', {
      StreamName: 'shop-Views',
      PartitionKey: 'v1',
      Data,
    });
  }
  for (const id of ['1', 'bad', '2']) {
    await localCall(places.dynamodb, 'DynamoDB_20120810.PutItem', {
      TableName: 'shop-Charges',
      Item: { id: { S: id } },
    });
  }
  await until('all records are over', () => seen.length >= 5 && discarded > 0);
  await mappings.stop();
  expect(seen.filter((one) => one.startsWith('v1'))).toEqual(['v1 a', 'v1 b', 'v1 c']);
  expect(seen.filter((one) => one.startsWith('INSERT'))).toEqual(['INSERT 1', 'INSERT 2']);
  expect(troubles).toEqual([]);
  const { Messages: messages } = await localCall(places.sqs, 'AmazonSQS.ReceiveMessage', {
    QueueUrl: stack.queues[0]?.url,
  });
  const [letter] = messages as readonly { readonly Body: string }[];
  expect(JSON.parse(letter?.Body ?? '')).toMatchObject({
    requestContext: { condition: 'RetryAttemptsExhausted' },
    DDBStreamBatchInfo: { batchSize: 1, startSequenceNumber: '2', endSequenceNumber: '2' },
  });
});
