import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { aString, type Check, checkOptionsOf, required } from './check-options.ts';
import { aConstruct, aDuration } from './checks.ts';
import { createOutboxAlarms } from './outbox-alarms.ts';

/** Properties of an `Outbox`. */
export interface OutboxProps {
  /** The function whose handler is `relay(sender)`. It gets the table's stream. */
  readonly relay: lambda.Function;
  /** The function whose handler is `sweepOutbox(sender)`. It runs every minute; its timeout is below that. */
  readonly sweep: lambda.Function;
  /** The topic that is notified by the alarms. Default: none. */
  readonly topic?: sns.ITopic;
  /** The age of the oldest waiting row, for five minutes, that raises the alarm. Default 5 minutes. */
  readonly oldestRowAge?: Duration;
  /** A customer-managed KMS key. Default: a key that DynamoDB owns. */
  readonly encryptionKey?: kms.IKey;
  /** The removal policy. Default `RETAIN`: rows are messages that nobody has sent yet. */
  readonly removalPolicy?: RemovalPolicy;
}

const aLambda = aConstruct('a Function of aws-cdk-lib/aws-lambda', 'functionArn', 'addEnvironment');
const checks: Readonly<Record<keyof OutboxProps, Check>> = {
  relay: required(aLambda),
  sweep: required(aLambda),
  topic: aConstruct('a topic of aws-cdk-lib/aws-sns', 'topicArn'),
  oldestRowAge: aDuration(),
  encryptionKey: aConstruct('a key of aws-cdk-lib/aws-kms', 'keyArn'),
  removalPolicy: aString(),
};

const INDEX = 'unsent';
/** The actions of the relay and the sweep on rows. */
const SEND = ['dynamodb:Query', 'dynamodb:BatchGetItem', 'dynamodb:PartiQLDelete', 'dynamodb:UpdateItem'];
/** The actions of functions that write messages. The last two are those of `inOrder()`. */
const WRITE = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem'];
/** The actions of people who only look. */
const READ = ['dynamodb:BatchGetItem'];
/** The actions of people who list, release and drop rows. */
const OPERATE = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'];

/**
 * The outbox of `dynamoDBOutbox()`: its table with stream and index, the mapping that invokes the relay for
 * new rows, the schedule of the sweep, and alarms for old and parked rows. Throws a `ConfigurationError` for
 * invalid properties.
 *
 * @example
 * const outbox = new Outbox(this, 'Outbox', { relay: relayFunction, sweep: sweepFunction });
 * outbox.connect(chargeOrders);
 */
export class Outbox extends Construct {
  /** The table. */
  readonly table: dynamodb.ITable;
  /** The rule that invokes the sweep. */
  readonly schedule: events.Rule;
  /** The alarms for the age of the oldest waiting row, and for parked rows. */
  readonly alarms: readonly cloudwatch.Alarm[];
  readonly #table: dynamodb.Table;

  /**
   * Creates the table, the mapping, the schedule and the alarms, and grants both functions their permissions.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The two functions, and the properties of the table.
   */
  constructor(scope: Construct, id: string, props: OutboxProps) {
    super(scope, id);
    checkOptionsOf('Outbox', props, checks);
    const { relay, sweep } = props;
    this.#table = createTable(this, props);
    // The CDK's types do not support `exactOptionalPropertyTypes`.
    this.table = this.#table as dynamodb.ITable;
    for (const sender of [relay, sweep]) {
      this.#addEnvironment(sender);
      this.#grant(sender, SEND);
    }
    this.#grantIndex(sweep);
    this.#table.grantStreamRead(relay);
    createMapping(this, relay, this.#table);
    this.schedule = new events.Rule(this, 'Schedule', {
      description: 'Sends the messages of the outbox that its stream has left.',
      schedule: events.Schedule.rate(Duration.minutes(1)),
      targets: [new targets.LambdaFunction(sweep, { retryAttempts: 0 })],
    });
    this.alarms = createOutboxAlarms(this, this.#table.tableName, props);
  }

  /**
   * Connects a function that writes messages: `OUTBOX_TABLE_NAME`, and the permission to write rows.
   *
   * @param writer The function.
   */
  connect(writer: lambda.Function): void {
    this.#addEnvironment(writer);
    this.#grant(writer, WRITE);
  }

  /**
   * Grants listing and counting rows, as `dynamoDBOutboxAdmin` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantRead(grantee: iam.IGrantable): iam.Grant {
    return this.#grantWithIndex(grantee, READ);
  }

  /**
   * Grants listing, releasing and dropping rows, as `dynamoDBOutboxAdmin` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantOperate(grantee: iam.IGrantable): iam.Grant {
    return this.#grantWithIndex(grantee, OPERATE);
  }

  #grantWithIndex(grantee: iam.IGrantable, actions: string[]): iam.Grant {
    return this.#grant(grantee, actions).combine(this.#grantIndex(grantee));
  }

  #addEnvironment(of: lambda.Function): void {
    of.addEnvironment('OUTBOX_TABLE_NAME', this.#table.tableName);
  }

  /** Every caller grants actions on rows too, and with them the key. */
  #grantIndex(grantee: iam.IGrantable): iam.Grant {
    const resourceArns = [`${this.#table.tableArn}/index/${INDEX}`];
    return iam.Grant.addToPrincipal({ grantee, actions: ['dynamodb:Query'], resourceArns });
  }

  /** Grants actions on the table and its key; `table.grant()` would include every index. */
  #grant(grantee: iam.IGrantable, actions: string[]): iam.Grant {
    // Reading needs no more of a key than decrypting, as in the CDK's own `grantReadData`.
    const { encryptionKey: key } = this.#table;
    if (actions === READ) key?.grantDecrypt(grantee);
    else key?.grantEncryptDecrypt(grantee);
    return iam.Grant.addToPrincipal({ grantee, actions, resourceArns: [this.#table.tableArn] });
  }
}

function createTable(scope: Construct, { encryptionKey, removalPolicy }: OutboxProps): dynamodb.Table {
  const policy = removalPolicy ?? RemovalPolicy.RETAIN;
  const table = new dynamodb.Table(scope, 'Table', {
    partitionKey: { name: 'lane', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'position', type: dynamodb.AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    stream: dynamodb.StreamViewType.KEYS_ONLY,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: policy,
    deletionProtection: policy !== RemovalPolicy.DESTROY,
    ...(encryptionKey !== undefined && {
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
    }),
  });
  table.addGlobalSecondaryIndex({
    indexName: INDEX,
    partitionKey: { name: 'unsent', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'createdAt', type: dynamodb.AttributeType.NUMBER },
    projectionType: dynamodb.ProjectionType.KEYS_ONLY,
  });
  return table;
}

function createMapping(scope: Construct, relay: lambda.Function, table: dynamodb.Table): void {
  const mapping = new lambda.EventSourceMapping(scope, 'Mapping', {
    target: relay,
    eventSourceArn: table.tableStreamArn as string,
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    // The sweep sends what the mapping gives up.
    retryAttempts: 5,
    filters: [
      lambda.FilterCriteria.filter({
        eventName: ['INSERT'],
        dynamodb: { Keys: { position: { S: [{ 'anything-but': ['#'] }] } } },
      }),
    ],
  });
  mapping.node.addDependency(relay.role as iam.IRole);
}
