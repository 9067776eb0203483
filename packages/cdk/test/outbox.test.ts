import { describe, expect, it } from '@jest/globals';
import { Duration, type Stack } from 'aws-cdk-lib/core';
import { Match } from 'aws-cdk-lib/assertions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Outbox, OutboxAlarms } from 'batchlatch-cdk';
import { outboxTableDefinition } from 'batchlatch/outbox';
import { allowedTo, aRole, code, synthesised } from './synthesised.ts';

const functionIn = (stack: Stack, id: string): lambda.Function =>
  new lambda.Function(stack, id, { code, handler: 'index.handler', runtime: lambda.Runtime.NODEJS_22_X });

const template = synthesised((stack) => {
  const outbox = new Outbox(stack, 'Outbox', {
    relay: functionIn(stack, 'Relay'),
    sweep: functionIn(stack, 'Sweep'),
    topic: new sns.Topic(stack, 'Topic'),
    oldestRowAge: Duration.minutes(10),
  });
  outbox.connect(functionIn(stack, 'Writer'));
  outbox.grantOperate(aRole(stack, 'Person'));
});

describe('Outbox', () => {
  it('is the table that dynamoDBOutbox writes, with its stream and index, kept when the stack goes', () => {
    const { table, timeToLive } = outboxTableDefinition('outbox');
    const { TableName: _, StreamSpecification: stream, ...definition } = table;
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({
        ...definition,
        StreamSpecification: { StreamViewType: stream?.StreamViewType },
        TimeToLiveSpecification: timeToLive.TimeToLiveSpecification,
        DeletionProtectionEnabled: true,
      }),
    });
  });

  it('invokes the relay for new rows alone, and the sweep every minute', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 5,
      FilterCriteria: {
        Filters: [
          {
            Pattern:
              '{"eventName":["INSERT"],"dynamodb":{"Keys":{"position":{"S":[{"anything-but":["#"]}]}}}}',
          },
        ],
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
  });

  it('allows each function and person what they need, and no more', () => {
    const send = ['dynamodb:BatchGetItem', 'dynamodb:PartiQLDelete', 'dynamodb:Query', 'dynamodb:UpdateItem'];
    const [tableOfSweep] = Object.values(allowedTo(template, 'SweepServiceRole'));
    expect(tableOfSweep).toEqual(send);
    const all = (role: string): string[] => Object.values(allowedTo(template, role)).flat();
    expect(all('SweepServiceRole')).toEqual([...send, 'dynamodb:Query']);
    const streamed = Match.arrayWith(['dynamodb:GetRecords', 'dynamodb:GetShardIterator']);
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: Match.arrayWith(['dynamodb:Query', 'dynamodb:BatchGetItem']) }),
          Match.objectLike({ Action: streamed }),
        ]),
      },
    });
    expect(all('WriterServiceRole')).toEqual(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']);
    expect(all('Person').toSorted()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ]);
  });

  it('alarms for an old row, a sweep that does not run, and parked rows', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'batchlatch',
      MetricName: 'OldestOutboxRowMs',
      Threshold: 600_000,
      TreatMissingData: 'breaching',
      AlarmActions: [Match.anyValue()],
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ParkedOutboxRows',
      Threshold: 1,
    });
  });

  it('refuses other functions and properties', () => {
    expect(() => synthesised((stack) => new Outbox(stack, 'Outbox', {} as never))).toThrow(
      'Outbox: Expected `relay`',
    );
  });
});

describe('OutboxAlarms', () => {
  it('has the alarms of an outbox in PostgreSQL, by the schedule of its monitor', () => {
    const ofPostgres = synthesised((stack) => {
      void new OutboxAlarms(stack, 'Alarms', {
        tableName: 'orders-outbox',
        every: Duration.minutes(2),
        topic: new sns.Topic(stack, 'Topic'),
      });
    });
    const alarms = Object.values(ofPostgres.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.map(({ Properties }) => Properties as object)).toMatchObject([
      {
        Namespace: 'batchlatch',
        MetricName: 'OldestOutboxRowMs',
        Dimensions: [{ Name: 'table', Value: 'orders-outbox' }],
        Period: 120,
        EvaluationPeriods: 3,
        Threshold: 300_000,
        TreatMissingData: 'breaching',
        AlarmActions: [expect.anything()],
        OKActions: [expect.anything()],
      },
      { MetricName: 'ParkedOutboxRows', TreatMissingData: 'ignore' },
    ]);
  });

  it('refuses other properties', () => {
    const made = (props: object) => () =>
      synthesised((stack) => new OutboxAlarms(stack, 'A', props as never));
    expect(made({})).toThrow('OutboxAlarms: Expected `tableName`');
    expect(made({ tableName: 'a', every: 60 })).toThrow('OutboxAlarms: Expected `every` to be a Duration');
  });
});

it('lets those who only read an outbox decrypt with its own key, and not encrypt', () => {
  const encrypted = synthesised((stack) => {
    const outbox = new Outbox(stack, 'Outbox', {
      relay: functionIn(stack, 'Relay'),
      sweep: functionIn(stack, 'Sweep'),
      encryptionKey: new kms.Key(stack, 'Key'),
    });
    outbox.grantRead(aRole(stack, 'Reader'));
  });
  expect(allowedTo(encrypted, 'Reader')['Key']).toEqual(['kms:Decrypt']);
  expect(allowedTo(encrypted, 'Sweep')['Key']).toContain('kms:Encrypt');
});
