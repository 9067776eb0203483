import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const eventOf = (type: string, properties: string) =>
  only(
    modelOf(`Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        E:
          Type: ${type}
          Properties: ${properties}
`).triggers,
  );

describe("an event of one of SAM's functions", () => {
  const common = { id: 'Fn.E', name: 'Fn, event E', functionId: 'Fn', line: 6 };

  it('is a rule with a pattern', () => {
    expect(eventOf('EventBridgeRule', '{ Pattern: { source: [shop] }, State: disabled }')).toMatchObject({
      ...common,
      kind: 'EventBridge',
      logicalId: 'FnE',
      pattern: { value: { source: ['shop'] }, property: 'Pattern', line: 8 },
      bus: { value: 'default' },
      isOn: false,
      keepsUndelivered: { value: false },
    });
  });

  it.each([
    ['Schedule', '{ Schedule: rate(1 day), Enabled: false, Input: x }', 'events', 'Schedule', false],
    ['ScheduleV2', '{ ScheduleExpression: rate(1 day), Input: x }', 'scheduler', 'ScheduleExpression', true],
  ])('is a schedule: %s', (type, properties, service, property, isOn) => {
    expect(eventOf(type, properties)).toMatchObject({
      ...common,
      kind: 'Schedule',
      service,
      expression: { value: 'rate(1 day)', property },
      input: { value: 'x' },
      ruleName: { value: 'FnE' },
      isOn,
    });
  });

  it.each([
    ['SNS', '{ Topic: t, RedrivePolicy: { deadLetterTargetArn: d } }', true],
    ['SNS', '{ Topic: t }', false],
    ['S3', '{ Bucket: b }', false],
  ])('is a notification: %s %s', (kind, properties, isKept) => {
    expect(eventOf(kind, properties)).toMatchObject({ ...common, kind, keepsUndelivered: { value: isKept } });
  });
});

describe('the targets of a rule', () => {
  const targets = `[{ Id: a, Arn: !GetAtt Fn.Arn, DeadLetterConfig: { Arn: d }, InputPath: $.detail },
        { Id: b, Arn: !GetAtt Q.Arn, SqsParameters: { MessageGroupId: g } }, { Id: c, Arn: far }]`;
  const triggersOf = (more: string) =>
    modelOf(`Resources:
  Fn: { Type: AWS::Lambda::Function }
  Q: { Type: AWS::SQS::Queue }
  Rule:
    Type: AWS::Events::Rule
    Properties: { ${more}, Targets: ${targets} }
`).triggers;

  it('are functions, queues and what is elsewhere', () => {
    expect(triggersOf('EventPattern: { a: [b] }')).toMatchObject([
      { logicalId: 'Rule', functionId: 'Fn', isTransformed: true, keepsUndelivered: { value: true } },
      { logicalId: 'Rule.b', queueId: 'Q', functionId: undefined, messageGroupId: { value: 'g' } },
      { logicalId: 'Rule.c', queueId: undefined, functionId: undefined, targetArn: { value: 'far' } },
    ]);
  });

  it.each([
    ['EventPattern: { a: [b] }', ['EventBridge']],
    ['ScheduleExpression: rate(1 day)', ['Schedule']],
    ['EventPattern: { a: [b] }, ScheduleExpression: rate(1 day)', ['EventBridge', 'Schedule']],
  ])('are invoked by a pattern, by time, or by both: %s', (more, kinds) => {
    const ofFunction = triggersOf(more).filter(({ functionId }) => functionId === 'Fn');
    expect(ofFunction.map(({ kind }) => kind)).toEqual(kinds);
  });
});

it('a topic invokes the function of its event unless SAM puts a queue between them', () => {
  const { triggers, skipped } = modelOf(`Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Direct: { Type: SNS, Properties: { Topic: t, SqsSubscription: false } }
        Queued: { Type: SNS, Properties: { Topic: t, SqsSubscription: true } }
`);
  expect(triggers.map(({ id, kind }) => [id, kind])).toEqual([['Fn.Direct', 'SNS']]);
  expect(skipped).toEqual([expect.stringMatching(/^Fn, event Queued: SAM makes its queue/)]);
});

it('a schedule, a subscription and a bucket invoke the functions that they name', () => {
  const { triggers } = modelOf(`Resources:
  Fn: { Type: AWS::Lambda::Function }
  Subscription: { Type: AWS::SNS::Subscription, Properties: { Endpoint: !GetAtt Fn.Arn } }
  Far: { Type: AWS::SNS::Subscription, Properties: { Endpoint: far } }
  Bucket: { Type: AWS::S3::Bucket, Properties: { NotificationConfiguration: { LambdaConfigurations: [{ Function: !GetAtt Fn.Arn }] } } }
  OfCdk: { Type: Custom::S3BucketNotifications, Properties: { NotificationConfiguration: { LambdaFunctionConfigurations: [{ LambdaFunctionArn: !GetAtt Fn.Arn }] } } }
  Later: { Type: AWS::Scheduler::Schedule, Properties: { ScheduleExpression: rate(1 day), GroupName: g, Target: { Arn: !GetAtt Fn.Arn } } }
`);
  expect(triggers.map(({ id, kind, functionId }) => [id, kind, functionId])).toEqual([
    ['Subscription', 'SNS', 'Fn'],
    ['Bucket', 'S3', 'Fn'],
    ['OfCdk', 'S3', 'Fn'],
    ['Later', 'Schedule', 'Fn'],
  ]);
  expect(triggers[3]).toMatchObject({ service: 'scheduler', group: { value: 'g' } });
});

it('a subscriber of a custom event bus has the defaults of EventBridge', () => {
  const { subscribers } = modelOf(`Resources:
  Fn: { Type: AWS::Lambda::Function }
  S: { Type: AWS::EventsV2::Subscriber, Properties: { InvokeConfiguration: { TargetArn: !GetAtt Fn.Arn } } }
  Far: { Type: AWS::EventsV2::Subscriber, Properties: { InvokeConfiguration: { TargetArn: far } } }
`);
  expect(only(subscribers)).toMatchObject({
    id: 'S',
    functionId: 'Fn',
    invocationType: { value: 'REQUEST_RESPONSE' },
    timeoutSeconds: { value: 30 },
    keepsFailures: { value: false },
  });
});

describe('a target that a condition chooses, which nobody can decide,', () => {
  const CONDITION =
    'Parameters: { Stage: { Type: String } }\nConditions: { IsLive: !Equals [!Ref Stage, live] }\n';
  const CHOSEN = '!If [IsLive, !GetAtt A.Arn, !GetAtt B.Arn]';
  const WHY = 'the condition IsLive cannot be told: the parameter Stage has no default';

  it.each([
    [
      'rule',
      `Type: AWS::Events::Rule, Properties: { EventPattern: { source: [a] }, Targets: [{ Id: t, Arn: ${CHOSEN} }] }`,
      [`X, its target: ${WHY}`],
    ],
    [
      'schedule',
      `Type: AWS::Scheduler::Schedule, Properties: { Target: { Arn: ${CHOSEN} } }`,
      [`X, its target: ${WHY}`],
    ],
    [
      'subscription',
      `Type: AWS::SNS::Subscription, Properties: { Protocol: lambda, Endpoint: ${CHOSEN} }`,
      [`X, its endpoint: ${WHY}`],
    ],
    [
      'subscription of a person',
      'Type: AWS::SNS::Subscription, Properties: { Protocol: email, Endpoint: !Ref Stage }',
      [],
    ],
  ])('is listed: a %s', (_what, resource, skipped) => {
    const functions = '  A: { Type: AWS::Lambda::Function }\n  B: { Type: AWS::Lambda::Function }\n';
    expect(modelOf(`${CONDITION}Resources:\n${functions}  X: { ${resource} }\n`).skipped).toEqual(skipped);
  });
});
