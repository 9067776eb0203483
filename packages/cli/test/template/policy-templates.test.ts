import { expect, it } from '@jest/globals';
import { managedStatements, QUEUE_POLICY, templateStatements } from '../../src/template/policy-templates.ts';

it("SAM's policy templates allow actions on the table or the queue that they name", () => {
  expect(templateStatements('DynamoDBWritePolicy', { TableName: 'claims' }, 7)).toEqual([
    {
      isAllow: true,
      hasCondition: false,
      actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:BatchWriteItem'],
      resources: ['arn:${AWS.Partition}:dynamodb:${AWS.Region}:${AWS.AccountId}:table/claims'],
      line: 7,
    },
  ]);
  expect(templateStatements('SQSSendMessagePolicy', {}, 1)).toMatchObject([
    {
      actions: ['sqs:SendMessage'],
      resources: ['arn:${AWS.Partition}:sqs:${AWS.Region}:${AWS.AccountId}:<?>'],
    },
  ]);
});

it.each(['S3ReadPolicy', 'constructor'])('those about other services allow nothing here: %s', (name) => {
  expect(templateStatements(name, {}, 1)).toEqual([]);
});

it("AWS's policies are known by their names, and the one for queues is said to be AWS's", () => {
  expect(managedStatements('AmazonSQSFullAccess')).toMatchObject([{ actions: ['sqs:*'], isOfAws: false }]);
  expect(managedStatements(QUEUE_POLICY)).toMatchObject([{ resources: ['*'], isOfAws: true }]);
  expect(managedStatements('AWSLambdaBasicExecutionRole')).toEqual([]);
  expect([managedStatements('Own'), managedStatements('constructor')]).toEqual([undefined, undefined]);
});
