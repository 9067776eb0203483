import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const roleOf = (properties: string, others = '', type = 'AWS::Serverless::Function') =>
  only(modelOf(`Resources:\n  Fn: { Type: ${type}, Properties: ${properties} }\n${others}`).functions).role;

const ALLOW = '{ Statement: { Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt Queue.Arn } }';

describe('the role that SAM makes', () => {
  it('has its policies: documents, templates and names', () => {
    const { value } = roleOf(
      `{ Policies: [${ALLOW}, { DynamoDBReconfigurePolicy: { TableName: !Ref T } }, AmazonSQSFullAccess, Own] }`,
    );
    expect(value).toMatchObject({ isMadeBySam: true, unknown: ['Own'] });
    expect(value?.statements.map(({ actions, resources }) => [actions, resources])).toEqual([
      [['sqs:SendMessage'], ['<Queue.Arn>']],
      [['dynamodb:UpdateTable'], ['arn:${AWS.Partition}:dynamodb:${AWS.Region}:${AWS.AccountId}:table/<T>']],
      [['sqs:*'], ['*']],
    ]);
  });

  it('may poll if the function has an event of a queue, by a policy of AWS', () => {
    expect(
      roleOf('{ Events: { E: { Type: SQS, Properties: { Queue: q } } } }').value?.statements,
    ).toMatchObject([{ resources: ['*'], isOfAws: true }]);
  });

  it('is unknown in part where connectors give permissions', () => {
    const connector = '  C: { Type: AWS::Serverless::Connector, Properties: { Source: { Id: Fn } } }\n';
    expect(roleOf('{}', connector).value?.unknown).toEqual(['the connector C']);
  });

  it.each([
    [
      'C: { Type: AWS::Serverless::Connector, Properties: { Source: { Id: Q }, Destination: { Id: Fn } } }',
      ['the connector C'],
    ],
    [
      'C: { Type: AWS::Serverless::Connector, Properties: { Source: { Id: Q }, Destination: [{ Id: G }, { Id: Fn }] } }',
      ['the connector C'],
    ],
    [
      'C: { Type: AWS::Serverless::Connector, Properties: { Source: { Id: Q }, Destination: { Id: G } } }',
      [],
    ],
    [
      'Q: { Type: AWS::SQS::Queue, Connectors: { ToFn: { Properties: { Destination: { Id: Fn }, Permissions: [Read] } } } }',
      ['the connector ToFn of Q'],
    ],
    [
      'Q: { Type: AWS::SQS::Queue, Connectors: { ToG: { Properties: { Destination: [{ Id: G }], Permissions: [Read] } } } }',
      [],
    ],
  ])('is unknown in part where a connector leads to it: %s', (resource, unknown) => {
    expect(roleOf('{}', `  ${resource}\n`).value?.unknown).toEqual(unknown);
  });
});

describe('a role of its own', () => {
  const ROLE = `  R: { Type: AWS::IAM::Role, Properties: { Policies: [{ PolicyDocument: ${ALLOW} }], ManagedPolicyArns: [!Ref M] } }
  M: { Type: AWS::IAM::ManagedPolicy, Properties: { PolicyDocument: ${ALLOW.replace('Send', 'Delete')} } }
  P: { Type: AWS::IAM::Policy, Properties: { Roles: [!Ref R], PolicyDocument: ${ALLOW.replace('Send', 'Receive')} } }
  Other: { Type: AWS::IAM::Policy, Properties: { Roles: [Somebody], PolicyDocument: ${ALLOW} } }
`;

  it('has every policy of the template that is attached to it', () => {
    const { value } = roleOf('{ Role: !GetAtt R.Arn }', ROLE);
    expect(value?.isMadeBySam).toBe(false);
    expect(value?.statements.flatMap(({ actions }) => actions)).toEqual([
      'sqs:SendMessage',
      'sqs:DeleteMessage',
      'sqs:ReceiveMessage',
    ]);
  });

  it.each([
    ['{ Role: "arn:aws:iam::1:role/far" }', 'its role is not in this template'],
    ['{ Role: !ImportValue Far }', 'Fn::ImportValue cannot be worked out'],
    ['{}', 'its role is not in this template'],
  ])('is not known if it is elsewhere: %s', (properties, unknown) => {
    expect(roleOf(properties, '', 'AWS::Lambda::Function')).toMatchObject({ unknown });
  });
});

it.each([
  [
    '{ Effect: Deny, NotAction: [a], Resource: "*", Condition: {} }',
    { isAllow: false, hasCondition: true, actions: ['<?>'] },
  ],
  ['{ Effect: Allow, Action: !ImportValue A, NotResource: b }', { actions: ['<?>'], resources: ['<?>'] }],
])('what a statement does not name is unknown: %s', (statement, expected) => {
  expect(roleOf(`{ Policies: [{ Statement: [${statement}] }] }`).value?.statements).toMatchObject([expected]);
});

const ALLOWS = ALLOW.slice('{ Statement: '.length, -2);

it.each([
  ['one statement', `[!If [IsProd, ${ALLOWS}, !Ref AWS::NoValue]]`],
  ['all statements', `!If [IsProd, [${ALLOWS}], []]`],
  ['an effect', '[{ Effect: !If [IsProd, Allow, Deny], Action: sqs:SendMessage, Resource: "*" }]'],
])('is unknown in part where a condition that cannot be told decides %s', (_what, statements) => {
  const conditions = 'Conditions: { IsProd: !Equals [!Ref Stage, prod] }\n';
  const others = `Parameters: { Stage: { Type: String } }\n${conditions}`;
  expect(roleOf(`{ Policies: [{ Statement: ${statements} }] }`, others).value).toMatchObject({
    statements: [],
    unknown: ['a statement (the condition IsProd cannot be told: the parameter Stage has no default)'],
  });
});
