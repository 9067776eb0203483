import { describe, expect, it } from '@jest/globals';
import { at, readTemplate, readTemplateText, withDefaults } from './read-template.ts';

// What the linters of SAM and CloudFormation do not see, and is this template's alone: every-template.test.ts has the rest.

const template = readTemplate();
const property = (resource: string, ...path: (string | number)[]) =>
  at(template, 'Resources', resource, 'Properties', ...path);
const arnOf = (resource: string) => ({ 'Fn::GetAtt': [resource, 'Arn'] });

describe('the orders queue', () => {
  it('gives messages up after five receives', () => {
    expect(property('OrdersQueue', 'RedrivePolicy')).toEqual({
      deadLetterTargetArn: arnOf('OrdersDeadLetterQueue'),
      maxReceiveCount: 5,
    });
  });
});

describe('the permissions', () => {
  it('on the tables are three actions on the claims and one on the charges', () => {
    expect(property('TablesPolicy', 'PolicyDocument', 'Statement')).toEqual([
      {
        Sid: 'Claims',
        Effect: 'Allow',
        Action: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'],
        Resource: arnOf('ClaimsTable'),
      },
      { Sid: 'AppendCharges', Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: arnOf('ChargesTable') },
    ]);
  });

  it.each([
    [
      'OrdersFunction',
      [
        [['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], arnOf('OrdersQueue')],
        [['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf('OrdersLogGroup')],
      ],
    ],
    [
      'OrderPlacedFunction',
      [
        ['sqs:SendMessage', arnOf('OrderPlacedDeadLetterQueue')],
        [['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf('OrderPlacedLogGroup')],
      ],
    ],
  ])('of %s are those, its source, and its own log', (name, granted) => {
    expect(property(`${name}Role`, 'ManagedPolicyArns')).toEqual([{ Ref: 'TablesPolicy' }]);
    expect(grantedTo(name)).toEqual(granted);
  });

  it('of the monitor are reading the index and the claims, and its own log', () => {
    expect(property('ClaimMonitorFunctionRole')).not.toHaveProperty('ManagedPolicyArns');
    expect(grantedTo('ClaimMonitorFunction')).toEqual([
      ['dynamodb:Query', { 'Fn::Sub': '${ClaimsTable.Arn}/index/overdue' }],
      ['dynamodb:BatchGetItem', arnOf('ClaimsTable')],
      [['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf('ClaimMonitorLogGroup')],
    ]);
  });

  function grantedTo(name: string): [action: unknown, resource: unknown][] {
    const statements = at(property(`${name}Role`, 'Policies', 0), 'PolicyDocument', 'Statement') as unknown[];
    return statements.map((statement) => [at(statement, 'Action'), at(statement, 'Resource')]);
  }
});

describe('the OrderPlaced rule', () => {
  const deadLetters = arnOf('OrderPlacedDeadLetterQueue');

  it('hands what it cannot deliver to a queue that lets this rule write', () => {
    expect(property('OrderPlacedFunction', 'Events', 'OrderPlaced', 'Properties')).toMatchObject({
      DeadLetterConfig: { Arn: deadLetters },
    });
    expect(property('OrderPlacedDeadLetterQueuePolicy')).toMatchObject({
      Queues: [{ Ref: 'OrderPlacedDeadLetterQueue' }],
      PolicyDocument: {
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: deadLetters,
            Condition: { ArnEquals: { 'aws:SourceArn': arnOf('OrderPlacedFunctionOrderPlaced') } },
          }),
        ]),
      },
    });
  });

  it('hands there too what the function failed to do after its retries', () => {
    expect(property('OrderPlacedFunction', 'EventInvokeConfig')).toMatchObject({
      MaximumRetryAttempts: 2,
      DestinationConfig: { OnFailure: { Type: 'SQS', Destination: deadLetters } },
    });
  });
});

describe('the monitor', () => {
  it('runs as often as the parameter says, and the alarms look at one run in each period', () => {
    const written = readTemplateText();
    for (const minutes of at(written, 'Parameters', 'MonitorMinutes', 'AllowedValues') as number[]) {
      const resources = at(withDefaults(written, { MonitorMinutes: minutes }), 'Resources');
      const schedule = at(
        resources,
        'ClaimMonitorFunction',
        'Properties',
        'Events',
        'Schedule',
        'Properties',
      );
      const every = minutes === 60 ? '1 hour' : `${minutes} minute${minutes === 1 ? '' : 's'}`;
      expect(schedule).toEqual({ Schedule: `rate(${every})` });
      for (const alarm of [
        'OverdueClaimsAlarm',
        'ParkedClaimsAlarm',
        'OutcomeUnknownAlarm',
        'ClaimMonitorErrorsAlarm',
      ]) {
        expect(at(resources, alarm, 'Properties', 'Period')).toBe(minutes * 60);
      }
    }
  });
});
