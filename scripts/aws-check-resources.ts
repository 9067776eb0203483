// What scripts/aws-check.sh creates in an AWS account, and deletes: `check`, `create PREFIX`, `delete PREFIX`.
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { claimsTableDefinition } from '../src/stores/dynamodb/index.ts';
import { EFFECTS_TABLE } from '../test/support/effect-counters.ts';

const [command = '', prefix = ''] = process.argv.slice(2);
const dynamoDB = new DynamoDBClient({});
const sqs = new SQSClient({});
/** In seconds. */
const WAITING = { client: dynamoDB, maxWaitTime: 300, minDelay: 1, maxDelay: 5 };
const tables = [`${prefix}-claims`, `${prefix}-indexed`, `${prefix}-effects`] as const;
const queues = [`${prefix}-orders`, `${prefix}-orders-dead`] as const;

if (command === 'check') await assertCredentials();
else if (command === 'create' && prefix !== '') await create();
else if (command === 'delete' && prefix !== '') await deleteAll();
else throw new Error('Expected `check`, `create PREFIX` or `delete PREFIX`');

async function assertCredentials(): Promise<void> {
  try {
    await dynamoDB.config.credentials();
  } catch (error) {
    console.error(`There are no credentials: ${error instanceof Error ? error.message : String(error)}`);
    console.error(
      'Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or log in with `aws sso login`.',
    );
    process.exitCode = 1;
  }
}

async function create(): Promise<void> {
  const [claims, indexed, effects] = tables;
  const definitions = [
    claimsTableDefinition(claims).table,
    claimsTableDefinition(indexed, {}, { overdueIndex: true }).table,
    { ...EFFECTS_TABLE, TableName: effects },
  ];
  await Promise.all(definitions.map((definition) => dynamoDB.send(new CreateTableCommand(definition))));
  const [orders, dead] = queues;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: dead }));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.['QueueArn'], maxReceiveCount: 3 });
  await sqs.send(
    new CreateQueueCommand({ QueueName: orders, Attributes: { VisibilityTimeout: '10', RedrivePolicy } }),
  );
  for (const TableName of tables) {
    await waitUntilTableExists(WAITING, { TableName });
  }
  console.log(`Created what begins with ${prefix}`);
}

/** Also what is only partly there. */
async function deleteAll(): Promise<void> {
  const failures: unknown[] = [];
  const noting = async (deleted: Promise<unknown>): Promise<void> => {
    await deleted.catch((error: unknown) => {
      if (!isAbsent(error)) failures.push(error);
    });
  };
  for (const TableName of tables) await noting(deleteTable(TableName));
  for (const QueueName of queues) await noting(deleteQueue(QueueName));
  for (const failure of failures) console.error(failure instanceof Error ? failure.message : failure);
  if (failures.length === 0) console.log(`Deleted what begins with ${prefix}`);
  else process.exitCode = 1;
}

async function deleteTable(TableName: string): Promise<void> {
  await dynamoDB.send(new DescribeTableCommand({ TableName }));
  await waitUntilTableExists(WAITING, { TableName }); // one that is still being created cannot be deleted
  await dynamoDB.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(WAITING, { TableName });
}

async function deleteQueue(QueueName: string): Promise<void> {
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  await sqs.send(new DeleteQueueCommand({ QueueUrl }));
}

function isAbsent(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return [
    'ResourceNotFoundException',
    'QueueDoesNotExist',
    'AWS.SimpleQueueService.NonExistentQueue',
  ].includes(name);
}
