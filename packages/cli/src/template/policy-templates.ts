import type { Statement } from './model.ts';
import { asText, member, type Value } from './values.ts';

/**
 * The actions of SAM's policy templates for tables and queues
 * (https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-template-list.html).
 * None includes PartiQL.
 */
const TABLE_TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  DynamoDBCrudPolicy: [
    'GetItem',
    'DeleteItem',
    'PutItem',
    'Scan',
    'Query',
    'UpdateItem',
    'BatchWriteItem',
    'BatchGetItem',
    'DescribeTable',
    'ConditionCheckItem',
  ],
  DynamoDBReadPolicy: ['GetItem', 'Scan', 'Query', 'BatchGetItem', 'DescribeTable'],
  DynamoDBWritePolicy: ['PutItem', 'UpdateItem', 'BatchWriteItem'],
  DynamoDBReconfigurePolicy: ['UpdateTable'],
  DynamoDBBackupFullAccessPolicy: ['CreateBackup', 'DescribeContinuousBackups'],
};

const QUEUE_TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  SQSPollerPolicy: [
    'ChangeMessageVisibility',
    'ChangeMessageVisibilityBatch',
    'DeleteMessage',
    'DeleteMessageBatch',
    'GetQueueAttributes',
    'ReceiveMessage',
  ],
  SQSSendMessagePolicy: ['SendMessage'],
};

/** AWS's policy for functions that queues invoke. */
export const QUEUE_POLICY = 'AWSLambdaSQSQueueExecutionRole';

/** AWS managed policies and their actions on tables and queues. */
const MANAGED: Readonly<Record<string, readonly string[]>> = {
  AdministratorAccess: ['*'],
  PowerUserAccess: ['*'],
  AmazonDynamoDBFullAccess: ['dynamodb:*'],
  AmazonDynamoDBFullAccess_v2: ['dynamodb:*'],
  AmazonSQSFullAccess: ['sqs:*'],
  [QUEUE_POLICY]: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
  AWSLambdaBasicExecutionRole: [],
  AWSLambdaVPCAccessExecutionRole: [],
  AWSXRayDaemonWriteAccess: [],
  AWSXrayWriteOnlyAccess: [],
  CloudWatchLambdaInsightsExecutionRolePolicy: [],
};

/** Returns the statements of a SAM policy template; none for other services. */
export function templateStatements(
  name: string,
  parameters: Value,
  line: number | undefined,
): readonly Statement[] {
  const of = (service: string, actions: readonly string[], tail: string): readonly Statement[] => [
    {
      isAllow: true,
      hasCondition: false,
      actions: actions.map((action) => `${service}:${action}`),
      resources: [`arn:\${AWS.Partition}:${service}:\${AWS.Region}:\${AWS.AccountId}:${tail}`],
      line,
    },
  ];
  const named = (parameter: string): string => asText(member(parameters, parameter)) ?? '<?>';
  if (Object.hasOwn(TABLE_TEMPLATES, name)) {
    return of('dynamodb', TABLE_TEMPLATES[name] ?? [], `table/${named('TableName')}`);
  }
  return Object.hasOwn(QUEUE_TEMPLATES, name)
    ? of('sqs', QUEUE_TEMPLATES[name] ?? [], named('QueueName'))
    : [];
}

/** Returns the statements of an AWS managed policy; undefined for an unknown one. */
export function managedStatements(name: string): readonly Statement[] | undefined {
  if (!Object.hasOwn(MANAGED, name)) return undefined;
  const actions = MANAGED[name] ?? [];
  if (actions.length === 0) return [];
  const isOfAws = name === QUEUE_POLICY;
  return [{ isAllow: true, hasCondition: false, actions, resources: ['*'], isOfAws }];
}
