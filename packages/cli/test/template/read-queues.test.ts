import { describe, expect, it } from '@jest/globals';
import { deniesPlainText } from '../../src/template/read-queues.ts';
import { modelOf, only } from './model-of.ts';

const queueOf = (properties: string, others = '') =>
  modelOf(`Resources:\n  Orders:\n    Type: AWS::SQS::Queue\n    Properties: ${properties}\n${others}`)
    .queues[0];

const DEAD = '  Dead: { Type: AWS::SQS::Queue }\n';

describe('a queue of a template', () => {
  it('has the defaults of SQS', () => {
    expect(queueOf('{}')).toMatchObject({
      id: 'Orders',
      line: 2,
      isFifo: { value: false },
      visibilitySeconds: { value: 30, line: 2 },
      retentionSeconds: { value: 345_600 },
      redrive: { value: undefined },
      isEncrypted: { value: true },
      requiresTls: { value: false },
      arnTails: ['<Orders.QueueName>'],
    });
  });

  it('has what is set, with its line', () => {
    expect(queueOf("{ QueueName: a.fifo, VisibilityTimeout: '90', SqsManagedSseEnabled: no }")).toMatchObject(
      {
        isFifo: { value: true },
        fifoQueue: { value: false },
        visibilitySeconds: { value: 90, property: 'VisibilityTimeout', line: 4 },
        isEncrypted: { value: false },
        arnTails: ['<Orders.QueueName>', 'a.fifo'],
      },
    );
  });

  it('has its attributes as `CreateQueue` takes them', () => {
    const attributes = queueOf('{ DelaySeconds: 5, KmsMasterKeyId: k }')?.attributes ?? [];
    expect(only(attributes.filter(({ value }) => value !== undefined))).toMatchObject({
      property: 'DelaySeconds',
      value: '5',
    });
  });

  it.each([
    ['a mapping', '{ deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5 }'],
    ['made into JSON', '!ToJsonString { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5 }'],
    ['a text of JSON', `!Sub '{"deadLetterTargetArn":"\${Dead.Arn}","maxReceiveCount":5}'`],
  ])('has a redrive policy that is %s', (_form, policy) => {
    expect(queueOf(`{ RedrivePolicy: ${policy} }`, DEAD)?.redrive.value).toMatchObject({
      target: 'Dead',
      targetArn: '<Dead.Arn>',
      maxReceiveCount: { value: 5 },
    });
  });

  it('names a dead-letter queue that is elsewhere', () => {
    const policy = '{ RedrivePolicy: { deadLetterTargetArn: "arn:aws:sqs:r:1:far", maxReceiveCount: 3 } }';
    expect(queueOf(policy)?.redrive.value).toMatchObject({
      target: undefined,
      targetArn: 'arn:aws:sqs:r:1:far',
    });
  });

  it('lets messages come from queues of the template, and from others', () => {
    const allow = '{ redrivePermission: byQueue, sourceQueueArns: [!GetAtt Dead.Arn, far] }';
    expect(queueOf(`{ RedriveAllowPolicy: ${allow} }`, DEAD)?.redriveAllow.value).toEqual({
      permission: 'byQueue',
      sources: ['Dead', undefined],
    });
  });

  it('requires TLS if a policy of it says so', () => {
    const policy = `  Policy:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Orders]
      PolicyDocument:
        Statement: { Effect: Deny, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }
`;
    expect(queueOf('{}', policy)?.requiresTls.value).toBe(true);
    expect(queueOf('{}', policy.replace('Ref Orders', 'Ref Dead') + DEAD)?.requiresTls.value).toBe(false);
  });
});

it('a statement refuses requests without TLS if it denies them', () => {
  const statement = (Effect: string) => ({
    Statement: [{ Effect, Condition: { Bool: { 'aws:SecureTransport': false } } }],
  });
  expect([
    deniesPlainText(statement('Deny')),
    deniesPlainText(statement('Allow')),
    deniesPlainText({}),
  ]).toEqual([true, false, false]);
});
