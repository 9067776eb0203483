import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readStack } from '../../../src/dev/template/read-stack.ts';
import { choosePlaces, type Places } from '../../../src/dev/places.ts';
import { localCall } from '../../../src/dev/services/local-call.ts';
import { type Services, startServices } from '../../../src/dev/services/start-services.ts';
import type { DevStack } from '../../../src/dev/stack.ts';

const TEMPLATE = `
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: 7
      RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 2 }
  Dead: { Type: AWS::SQS::Queue }
  Steps: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true, ContentBasedDeduplication: true } }
  Claims:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PROVISIONED
      ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 }
      DeletionProtectionEnabled: true
      AttributeDefinitions:
        - { AttributeName: id, AttributeType: S }
        - { AttributeName: shard, AttributeType: S }
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
      GlobalSecondaryIndexes:
        - IndexName: byShard
          KeySchema: [{ AttributeName: shard, KeyType: HASH }]
          Projection: { ProjectionType: ALL }
          ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 }
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }
      StreamSpecification: { StreamViewType: NEW_IMAGE }
  Simple: { Type: AWS::Serverless::SimpleTable }
`;

const read = (text: string, places: Places): DevStack =>
  readStack({ file: '/shop/template.yaml', text }, places);

let services: Services;
let places: Places;
beforeAll(async () => {
  places = await choosePlaces();
  services = await startServices(read(TEMPLATE, places), places);
});
afterAll(() => services.stop());

async function attributesOf(name: string): Promise<Readonly<Record<string, string>>> {
  const { Attributes: attributes } = await localCall(places.sqs, 'AmazonSQS.GetQueueAttributes', {
    QueueUrl: `${places.sqs}/000000000000/${name}`,
    AttributeNames: ['All'],
  });
  return attributes as Readonly<Record<string, string>>;
}

async function describeTable(name: string): Promise<Readonly<Record<string, unknown>>> {
  const { Table: table } = await localCall(places.dynamodb, 'DynamoDB_20120810.DescribeTable', {
    TableName: name,
  });
  return table as Readonly<Record<string, unknown>>;
}

describe('The services of a template', () => {
  it('have its queues, under the addresses that functions get', async () => {
    expect(await attributesOf('shop-Orders')).toMatchObject({
      VisibilityTimeout: '7',
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:shop-Orders',
      RedrivePolicy:
        '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:shop-Dead","maxReceiveCount":2}',
    });
    expect(await attributesOf('shop-Steps.fifo')).toMatchObject({ FifoQueue: 'true' });
  });

  it('have its tables, with indexes, streams and what expires', async () => {
    expect(await describeTable('shop-Claims')).toMatchObject({
      TableStatus: 'ACTIVE',
      GlobalSecondaryIndexes: [{ IndexName: 'byShard' }],
    });
    expect(await describeTable('shop-Simple')).toMatchObject({ KeySchema: [{ AttributeName: 'id' }] });
  });

  it('are at the places that were chosen, on the loopback interface alone', () => {
    const endpoints = services.running.map(({ endpoint }) => endpoint);
    expect(endpoints).toEqual([places.sqs, places.dynamodb]);
    expect(endpoints.every((endpoint) => endpoint.startsWith('http://127.0.0.1:'))).toBe(true);
  });

  it('take a changed template while they run, and keep what is in them', async () => {
    await localCall(places.sqs, 'AmazonSQS.SendMessage', {
      QueueUrl: `${places.sqs}/000000000000/shop-Orders`,
      MessageBody: 'kept',
    });
    const changed = TEMPLATE.replace('VisibilityTimeout: 7', 'VisibilityTimeout: 9').replace(
      'NEW_IMAGE',
      'OLD_IMAGE',
    );
    await services.apply(read(`${changed}  More: { Type: AWS::SQS::Queue }\n`, places));
    expect(await attributesOf('shop-Orders')).toMatchObject({
      VisibilityTimeout: '9',
      ApproximateNumberOfMessages: '1',
    });
    expect(await attributesOf('shop-More')).toBeDefined();
    expect(services.notes.join()).toContain('Claims keeps the keys, indexes and stream');
    await services.apply(read(TEMPLATE, places));
    expect(await attributesOf('shop-Orders')).toMatchObject({ VisibilityTimeout: '7' });
    expect(services.running).toHaveLength(2);
  });
});

it('What a template does not need is not started', async () => {
  const other = await choosePlaces();
  const none = await startServices(read('Resources: {}', other), other);
  expect(none.running).toEqual([]);
  await none.stop();
});

it('A port that is taken is an error that names it, and nothing is left running', async () => {
  const other = { ...(await choosePlaces()), sqs: places.sqs };
  await expect(startServices(read(TEMPLATE, other), other)).rejects.toThrow(
    `The port of ${places.sqs} is in use by another program`,
  );
});
