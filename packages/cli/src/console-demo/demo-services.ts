import { CreateTableCommand, DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import type { DisposeStack } from '../dev/emulators/dispose-stack.ts';
import {
  dynamoDBPackage,
  hasDynamoDBEmulator,
  startGuardedDynamoDB,
} from '../dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../dev/emulators/emulator-environment.ts';
import { installedFolder, notInstalled } from '../dev/emulators/installed-package.ts';
import type { LocalService } from '../dev/emulators/local-service.ts';
import { startSqsEmulator } from '../dev/emulators/sqs-emulator.ts';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { createDemoOutbox, type DemoOutbox } from './demo-outbox.ts';
import { KINDS, type KindOfWork } from './kinds-of-work.ts';
import { MOST_RECEIVES } from './trouble.ts';

/** The queue and dead-letter queue of a kind of work. */
export interface WorkQueues {
  readonly kind: KindOfWork;
  readonly url: string;
  readonly deadLetterUrl: string;
}

/** The running emulators with their table and queues. */
export interface DemoServices {
  readonly running: readonly LocalService[];
  readonly dynamoDB: DynamoDB;
  readonly sqs: SQS;
  readonly tableName: string;
  /** The way of writing claims that this emulator supports. */
  readonly writes: 'batch' | 'single';
  readonly queues: readonly WorkQueues[];
  /** Undefined if this emulator has no PartiQL, which outboxes need. */
  readonly outbox: DemoOutbox | undefined;
}

const TABLE = 'claims';
const VISIBILITY_SECONDS = 5;

/** Starts the services; `cleanup` stops them. Throws a `ConfigurationError` that names missing packages. */
export async function startDemoServices(cleanup: DisposeStack): Promise<DemoServices> {
  const missing = [
    ...(installedFolder('fauxqs') === undefined ? ['fauxqs'] : []),
    ...(hasDynamoDBEmulator() ? [] : [dynamoDBPackage()]),
  ];
  if (missing.length > 0) throw notInstalled(missing);
  const [dynamoDBService, sqsService] = await Promise.all([
    started(startGuardedDynamoDB(), cleanup),
    started(startSqsEmulator(), cleanup),
  ]);
  const dynamoDB = new DynamoDB({ ...emulatorClientConfig, endpoint: dynamoDBService.endpoint });
  cleanup.defer(() => dynamoDB.destroy());
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: sqsService.endpoint });
  cleanup.defer(() => sqs.destroy());
  const { table } = claimsTableDefinition(TABLE, {}, { overdueIndex: true });
  await dynamoDB.send(new CreateTableCommand(table));
  const queues: WorkQueues[] = [];
  for (const kind of KINDS) queues.push(await createQueues(sqs, kind));
  const { supportsPartiQL } = dynamoDBService;
  const mailsUrl = queues.find(({ kind }) => kind.namespace === 'mails')?.url ?? '';
  return {
    running: [dynamoDBService, sqsService],
    dynamoDB,
    sqs,
    tableName: TABLE,
    writes: supportsPartiQL ? 'batch' : 'single',
    queues,
    outbox: supportsPartiQL ? await createDemoOutbox(dynamoDB, sqs, mailsUrl) : undefined,
  };
}

async function started<Service extends LocalService>(
  starting: Promise<Service>,
  cleanup: DisposeStack,
): Promise<Service> {
  const service = await starting;
  cleanup.defer(() => service.stop());
  return service;
}

async function createQueues(sqs: SQS, kind: KindOfWork): Promise<WorkQueues> {
  const { namespace } = kind;
  const deadLetterUrl = await createQueue(sqs, `${namespace}-dead-letters`, {});
  const { Attributes: { QueueArn: deadLetterTargetArn = '' } = {} } = await sqs.getQueueAttributes({
    QueueUrl: deadLetterUrl,
    AttributeNames: ['QueueArn'],
  });
  const url = await createQueue(sqs, namespace, {
    VisibilityTimeout: String(VISIBILITY_SECONDS),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: MOST_RECEIVES }),
  });
  return { kind, url, deadLetterUrl };
}

async function createQueue(
  sqs: SQS,
  QueueName: string,
  Attributes: Readonly<Record<string, string>>,
): Promise<string> {
  const { QueueUrl = '' } = await sqs.createQueue({ QueueName, Attributes });
  return QueueUrl;
}
