/** The IAM actions of the console for a team, by the resource that they are for. */
export interface ConsolePermissions {
  readonly claims: readonly string[];
  readonly index: readonly string[];
  readonly actions: readonly string[];
  readonly queue: readonly string[];
  readonly deadLetterQueue: readonly string[];
  readonly outbox: readonly string[];
  readonly outboxIndex: readonly string[];
}

/** The function's own role. */
export const READS: ConsolePermissions = {
  claims: ['dynamodb:BatchGetItem', 'dynamodb:DescribeTable', 'dynamodb:Scan'],
  index: ['dynamodb:Query'],
  actions: ['dynamodb:Query'],
  queue: ['sqs:GetQueueAttributes'],
  deadLetterQueue: [
    'sqs:ChangeMessageVisibility',
    'sqs:GetQueueAttributes',
    'sqs:ListDeadLetterSourceQueues',
    'sqs:ReceiveMessage',
  ],
  outbox: ['dynamodb:BatchGetItem'],
  outboxIndex: ['dynamodb:Query'],
};

/** The role that the function assumes for a change. */
export const CHANGES: ConsolePermissions = {
  claims: [
    'dynamodb:BatchGetItem',
    'dynamodb:DeleteItem',
    'dynamodb:DescribeContinuousBackups',
    'dynamodb:DescribeTable',
    'dynamodb:DescribeTimeToLive',
    'dynamodb:Scan',
    'dynamodb:UpdateItem',
  ],
  index: ['dynamodb:Query'],
  actions: ['dynamodb:PartiQLInsert'],
  queue: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
  deadLetterQueue: [
    'sqs:CancelMessageMoveTask',
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ListDeadLetterSourceQueues',
    'sqs:ListMessageMoveTasks',
    'sqs:ReceiveMessage',
    'sqs:StartMessageMoveTask',
  ],
  outbox: ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  outboxIndex: ['dynamodb:Query'],
};
