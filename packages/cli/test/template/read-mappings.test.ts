import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const OTHERS = `
  Orders: { Type: AWS::SQS::Queue }
  Views: { Type: AWS::Kinesis::Stream }
  Reader: { Type: AWS::Kinesis::StreamConsumer, Properties: { StreamARN: !GetAtt Views.Arn } }
  Table: { Type: AWS::DynamoDB::Table }
  Cluster: { Type: AWS::MSK::Cluster }
  Bucket: { Type: AWS::S3::Bucket }
  Nested: { Type: AWS::CloudFormation::Stack }
  Own: { Type: Custom::Queue }
`;
const template = (properties: string): string => `Resources:
  Fn: { Type: AWS::Lambda::Function }
  M: { Type: AWS::Lambda::EventSourceMapping, Properties: { FunctionName: !Ref Fn, ${properties} } }
${OTHERS}`;
const mappingOf = (properties: string) => only(modelOf(template(properties)).mappings);

describe('an event source mapping', () => {
  it.each([
    ['EventSourceArn: !GetAtt Orders.Arn', 'sqs', 'Orders', 10],
    ['EventSourceArn: !GetAtt Views.Arn', 'kinesis', 'Views', 100],
    ['EventSourceArn: !GetAtt Reader.ConsumerARN', 'kinesis', 'Views', 100],
    ['EventSourceArn: !GetAtt Table.StreamArn', 'dynamodb', 'Table', 100],
    ['EventSourceArn: !Ref Cluster', 'kafka', 'Cluster', 100],
    ['EventSourceArn: "arn:aws:sqs:r:1:far"', 'sqs', undefined, 10],
    ['EventSourceArn: !ImportValue Far, StartingPosition: LATEST', 'kinesis', undefined, 100],
    ['EventSourceArn: !ImportValue Far, Topics: [a]', 'kafka', undefined, 100],
    ['EventSourceArn: !ImportValue Far', 'sqs', undefined, 10],
    ['EventSourceArn: !GetAtt Nested.Outputs.QueueArn', 'sqs', undefined, 10],
    ['EventSourceArn: !GetAtt Own.Arn', 'sqs', undefined, 10],
    ['EventSourceArn: !GetAtt Nested.Outputs.BrokerArn, Topics: [a]', 'kafka', undefined, 100],
    ['SelfManagedEventSource: {}', 'kafka', undefined, 100],
  ])('is told by its source: %s', (properties, kind, source, batchSize) => {
    const mapping = mappingOf(properties);
    expect([mapping.kind, mapping.functionId, mapping.source.value, mapping.batchSize.value]).toEqual([
      kind,
      'Fn',
      source,
      batchSize,
    ]);
  });

  it.each([
    ['EventSourceArn: !GetAtt Bucket.Arn'],
    ['EventSourceArn: "arn:aws:mq:r:1:broker"'],
    ['Queues: [a]'],
  ])('of another service is skipped: %s', (properties) => {
    const { mappings, skipped } = modelOf(template(properties));
    expect([mappings, skipped]).toEqual([[], ['M: its source is not one that batchlatch reads']]);
  });

  it('says why its source is not known', () => {
    expect(mappingOf('EventSourceArn: "arn:aws:sqs:r:1:far"').source.unknown).toBe(
      'arn:aws:sqs:r:1:far is not in this template',
    );
    expect(mappingOf('EventSourceArn: !ImportValue Far').source.unknown).toBe(
      'Fn::ImportValue cannot be worked out',
    );
  });

  it('has the settings of its stream', () => {
    expect(
      mappingOf(
        'EventSourceArn: !GetAtt Reader.ConsumerARN, MaximumRetryAttempts: 4, BisectBatchOnFunctionError: yes, Enabled: false, DestinationConfig: { OnFailure: { Destination: !GetAtt Orders.Arn } }, FilterCriteria: { Filters: [{ Pattern: "{}" }, {}] }',
      ),
    ).toMatchObject({
      hasConsumer: true,
      retries: { value: 4 },
      bisects: { value: true },
      isEnabled: { value: false },
      onFailure: { value: { queueId: 'Orders' } },
      filters: [{ value: '{}' }, { value: '' }],
      maximumRecordAgeSeconds: { value: -1 },
    });
  });

  it('of SAM is an event of its function', () => {
    const mapping = only(
      modelOf(`Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Orders:
          Type: SQS
          Properties: { Queue: !GetAtt Orders.Arn, BatchSize: 5 }
        Other: { Type: Api }
${OTHERS}`).mappings,
    );
    expect(mapping).toMatchObject({
      id: 'Fn.Orders',
      logicalId: 'FnOrders',
      name: 'Fn, event Orders',
      line: 6,
      source: { value: 'Orders' },
      batchSize: { value: 5, property: 'BatchSize', line: 8 },
    });
  });
});
