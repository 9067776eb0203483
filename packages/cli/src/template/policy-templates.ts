import type { Statement } from './model.ts';
import { asText, member, type Value } from './values.ts';

/**
 * What SAM's policy templates for tables and queues allow
 * (https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-policy-template-list.html).
 * None of the actions of PartiQL is among them.
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

/** Policies of AWS that say something about tables and queues, and those that do not. */
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

/** The statements of one of SAM's policy templates; none for those about other services. */
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

/** The statements of one of AWS's policies; undefined for one that is not known here. */
export function managedStatements(name: string): readonly Statement[] | undefined {
  if (!Object.hasOwn(MANAGED, name)) return undefined;
  const actions = MANAGED[name] ?? [];
  if (actions.length === 0) return [];
  const isOfAws = name === QUEUE_POLICY;
  return [{ isAllow: true, hasCondition: false, actions, resources: ['*'], isOfAws }];
}
