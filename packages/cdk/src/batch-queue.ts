import { Duration, Names, Stack } from 'aws-cdk-lib/core';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type BatchQueueProps, checkBatchQueue, visibilityTimeoutOf } from './batch-queue-props.ts';

/** What Lambda needs of the queue to invoke the function with its messages. */
const CONSUME = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** What a person does with dead letters: look at them, and move them back. */
const OPERATE = [
  'sqs:CancelMessageMoveTask',
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ListDeadLetterSourceQueues',
  'sqs:ListMessageMoveTasks',
  'sqs:ReceiveMessage',
  'sqs:StartMessageMoveTask',
];

/**
 * An SQS queue whose messages a batchlatch function runs: the queue and its dead-letter queue, both encrypted and for TLS only; the event source mapping
 * with partial batch responses and its metrics; and what the function needs, which is the claims table and this queue alone. A message
 * stays hidden for six times the function's timeout, as AWS asks. Throws a `ConfigurationError` for properties that cannot work.
 *
 * @example
 * new BatchQueue(this, 'Orders', { function: chargeOrders, claims, maxConcurrency: 10 });
 */
export class BatchQueue extends Construct {
  /** Where messages are sent. */
  readonly queue: sqs.Queue;
  /** Where SQS moves a message that was received `maxReceiveCount` times. It accepts messages of `queue` alone. */
  readonly deadLetterQueue: sqs.Queue;
  /** What invokes the function. */
  readonly eventSourceMapping: lambda.EventSourceMapping;
  /** The function that runs the messages. */
  readonly function: lambda.Function;

  /**
   * Makes both queues and the event source mapping, and gives the function its permissions.
   *
   * @param scope What it is a part of, such as `this` in a stack.
   * @param id Its name in that scope.
   * @param props Its function, its claims table, and the properties of the queues and the mapping.
   */
  constructor(scope: Construct, id: string, props: BatchQueueProps) {
    super(scope, id);
    checkBatchQueue(props);
    this.function = props.function;
    const name = queueNameOf(this, props);
    this.deadLetterQueue = createDeadLetterQueue(this, name, props);
    this.queue = createQueue(this, name, this.deadLetterQueue, props);
    props.claims.connect(props.function);
    grantOn(this.queue, props.function, CONSUME);
    props.encryptionKey?.grantDecrypt(props.function);
    this.eventSourceMapping = createMapping(this, this.queue, props);
  }

  /** Allows the function to change how long messages are hidden, for the processor's options `visibility` and `heartbeat`. */
  grantVisibility(): iam.Grant {
    return grantOn(this.queue, this.function, ['sqs:ChangeMessageVisibility']);
  }

  /** Allows the function to send to the dead-letter queue, for the processor's option `deadLetter`. Its URL is `deadLetterQueue.queueUrl`. */
  grantDeadLetter(): iam.Grant {
    this.deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(this.function);
    return grantOn(this.deadLetterQueue, this.function, ['sqs:SendMessage']);
  }

  /**
   * Allows a person or a tool to read dead letters and to send them back to the queue, as `npx batchlatch dlq` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantOperate(grantee: iam.IGrantable): iam.Grant {
    this.queue.encryptionMasterKey?.grantEncryptDecrypt(grantee);
    const back = grantOn(this.queue, grantee, ['sqs:GetQueueAttributes', 'sqs:SendMessage']);
    return grantOn(this.deadLetterQueue, grantee, OPERATE).combine(back);
  }
}

/**
 * The queue and its dead-letter queue name each other, which CloudFormation cannot resolve for names that it generates itself.
 * 80 characters are SQS's limit.
 */
function queueNameOf(scope: Construct, { fifo = false }: BatchQueueProps): string {
  return fifo
    ? `${Names.uniqueResourceName(scope, { maxLength: 75 })}.fifo`
    : Names.uniqueResourceName(scope, { maxLength: 80 });
}

function createDeadLetterQueue(scope: Construct, source: string, props: BatchQueueProps): sqs.Queue {
  const sourceArn = Stack.of(scope).formatArn({ service: 'sqs', resource: source });
  return new sqs.Queue(scope, 'DeadLetterQueue', {
    ...securityOf(props),
    // A message keeps the time of its first sending when it moves here, so this must be the longer retention.
    retentionPeriod: props.deadLetterRetentionPeriod ?? Duration.days(14),
    redriveAllowPolicy: { sourceQueues: [sqs.Queue.fromQueueArn(scope, 'Source', sourceArn)] },
  });
}

function createQueue(
  scope: Construct,
  queueName: string,
  deadLetters: sqs.Queue,
  props: BatchQueueProps,
): sqs.Queue {
  return new sqs.Queue(scope, 'Queue', {
    ...securityOf(props),
    queueName,
    retentionPeriod: props.retentionPeriod ?? Duration.days(4),
    visibilityTimeout: visibilityTimeoutOf(props),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: props.maxReceiveCount ?? 5 },
  });
}

function securityOf({ fifo = false, encryptionKey }: BatchQueueProps): sqs.QueueProps {
  return {
    // `fifo: false` is an update that CloudFormation refuses.
    ...(fifo && { fifo }),
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
      : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  };
}

function createMapping(
  scope: Construct,
  queue: sqs.Queue,
  props: BatchQueueProps,
): lambda.EventSourceMapping {
  const { maxBatchingWindow, maxConcurrency, batchSize = 10, enabled = true } = props;
  return new lambda.EventSourceMapping(scope, 'Mapping', {
    target: props.function,
    eventSourceArn: queue.queueArn,
    batchSize,
    enabled,
    reportBatchItemFailures: true,
    metricsConfig: { metrics: [lambda.MetricType.EVENT_COUNT] },
    ...(maxBatchingWindow !== undefined && { maxBatchingWindow }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
}

function grantOn({ queueArn }: sqs.IQueue, grantee: iam.IGrantable, actions: string[]): iam.Grant {
  return iam.Grant.addToPrincipal({ grantee, actions, resourceArns: [queueArn] });
}
