import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { at, everyMember, readTemplate } from './read-template.ts';

// What the linters of SAM and CloudFormation do not see.

const template = readTemplate();
const globals = at(template, 'Globals', 'Function');
const property = (resource: string, ...path: (string | number)[]) =>
  at(template, 'Resources', resource, 'Properties', ...path);
const arnOf = (resource: string) => ({ 'Fn::GetAtt': [resource, 'Arn'] });
const functions = ['OrdersFunction', 'OrderPlacedFunction'];

describe('the orders queue', () => {
  it('hides a message for at least six runs of the function', () => {
    expect(property('OrdersQueue', 'VisibilityTimeout')).toBeGreaterThanOrEqual(
      6 * Number(at(globals, 'Timeout')),
    );
  });

  it('gives messages up to a queue that keeps them longer than it does', () => {
    expect(property('OrdersQueue', 'RedrivePolicy')).toEqual({
      deadLetterTargetArn: arnOf('OrdersDeadLetterQueue'),
      maxReceiveCount: 5,
    });
    expect(property('OrdersDeadLetterQueue', 'MessageRetentionPeriod')).toBeGreaterThan(
      Number(property('OrdersQueue', 'MessageRetentionPeriod')),
    );
  });

  it('takes partial batch responses from the function', () => {
    expect(property('OrdersFunction', 'Events', 'Orders', 'Properties')).toMatchObject({
      Queue: arnOf('OrdersQueue'),
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });
});

describe('the claims table', () => {
  it('is the one that the store writes', () => {
    const { table, timeToLive } = claimsTableDefinition('ClaimsTable');
    const { TableName: _, ...definition } = table;
    expect(property('ClaimsTable')).toMatchObject({
      ...definition,
      TimeToLiveSpecification: timeToLive.TimeToLiveSpecification,
    });
  });

  it('forgets claims by `expiresAt`', () => {
    expect(property('ClaimsTable', 'TimeToLiveSpecification')).toEqual({
      AttributeName: 'expiresAt',
      Enabled: true,
    });
  });

  it('is kept, as the charges are, when the stack goes', () => {
    for (const table of ['ClaimsTable', 'ChargesTable']) {
      expect(at(template, 'Resources', table)).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });
});

describe('the permissions', () => {
  it('are four actions on the claims and one on the charges', () => {
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

  it.each(functions)('of %s are those only', (name) => {
    expect(property(name, 'Policies')).toEqual([{ Ref: 'TablesPolicy' }]);
  });

  it('have no wildcard anywhere', () => {
    const granted = [...everyMember(template, 'Action'), ...everyMember(template, 'Resource')];
    expect(granted).toHaveLength(6);
    expect(JSON.stringify(granted)).not.toContain('*');
  });
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
        Statement: [
          {
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: deadLetters,
            Condition: { ArnEquals: { 'aws:SourceArn': arnOf('OrderPlacedFunctionOrderPlaced') } },
          },
        ],
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

describe.each(functions)('%s', (name) => {
  const codeUri = String(at(globals, 'CodeUri'));

  it('is bundled from the file that its handler names', () => {
    const file = String(property(name, 'Handler')).replace(/\.handler$/, '.ts');
    expect(at(template, 'Resources', name, 'Metadata', 'BuildProperties', 'EntryPoints')).toEqual([file]);
    expect(existsSync(`${codeUri}/${file}`)).toBe(true);
  });

  it('is bundled in place: a package.json beside it would have SAM copy and install', () => {
    expect(existsSync(`${codeUri}/package.json`)).toBe(false);
  });

  it('logs to a group that forgets after 30 days', () => {
    const group = at(property(name, 'LoggingConfig', 'LogGroup'), 'Ref');
    expect(property(String(group), 'RetentionInDays')).toBe(30);
  });
});
