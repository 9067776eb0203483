import { Duration, Names, Stack } from 'aws-cdk-lib/core';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type BatchQueueProps, checkBatchQueue, visibilityTimeoutOf } from './batch-queue-props.ts';

/** The actions of Lambda's event source mapping. */
const CONSUME = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The actions of people on dead letters: read them and redrive them. */
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

/** The actions of people who only look at dead letters. SQS counts each look as a receive. */
const READ = [
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
  'sqs:ListDeadLetterSourceQueues',
  'sqs:ReceiveMessage',
];

/**
 * An SQS queue that a batchlatch function processes. Creates the queue and its dead-letter queue, both
 * encrypted and TLS-only, and the event source mapping with partial batch responses and metrics. Grants the
 * function access to the claims table and this queue only. A message stays hidden for six times the
 * function's timeout, as AWS recommends. Throws a `ConfigurationError` for invalid properties.
 *
 * @example
 * new BatchQueue(this, 'Orders', { function: chargeOrders, claims, maxConcurrency: 10 });
 */
export class BatchQueue extends Construct {
  /** The queue to send messages to. */
  readonly queue: sqs.Queue;
  /** The queue of messages that were received `maxReceiveCount` times. Accepts messages of `queue` only. */
  readonly deadLetterQueue: sqs.Queue;
  /** The mapping that invokes the function. */
  readonly eventSourceMapping: lambda.EventSourceMapping;
  /** The function that processes the messages. */
  readonly function: lambda.Function;

  /**
   * Creates both queues and the event source mapping, and grants the function its permissions.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The function, the claims table, and the properties of the queues and the mapping.
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

  /** Grants `sqs:ChangeMessageVisibility`, for the processor's options `visibility` and `heartbeat`. */
  grantVisibility(): iam.Grant {
    return grantOn(this.queue, this.function, ['sqs:ChangeMessageVisibility']);
  }

  /** Grants sending to `deadLetterQueue`, for the processor's option `deadLetter`. */
  grantDeadLetter(): iam.Grant {
    this.deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(this.function);
    return grantOn(this.deadLetterQueue, this.function, ['sqs:SendMessage']);
  }

  /**
   * Grants reading dead letters and both queues' numbers of messages, as `npx batchlatch dlq list` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantRead(grantee: iam.IGrantable): iam.Grant {
    this.deadLetterQueue.encryptionMasterKey?.grantDecrypt(grantee);
    const numbers = grantOn(this.queue, grantee, ['sqs:GetQueueAttributes']);
    return grantOn(this.deadLetterQueue, grantee, READ).combine(numbers);
  }

  /**
   * Grants reading dead letters and redriving them to the queue, as `npx batchlatch dlq` does.
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
 * Returns a fixed name: the queues refer to each other, which CloudFormation cannot resolve for generated
 * names. 80 characters are SQS's limit.
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
    // Must exceed a standard queue's retention: a moved message keeps the time of its first sending.
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
    // CloudFormation refuses an update with `fifo: false`.
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
