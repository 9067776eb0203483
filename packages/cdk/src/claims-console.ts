import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { checkClaimsConsole, type ClaimsConsoleProps } from './claims-console-props.ts';
import { grantActions, grantActionsLog } from './claims-grants.ts';
import { consoleCode } from './console-code.ts';
import { addListenerRules } from './console-listener-rules.ts';

/** A load balancer waits 60 seconds by default; the console itself stops 5 seconds before this. */
const TIMEOUT = Duration.seconds(55);

/**
 * The console for a team: a function behind an Application Load Balancer with OIDC, or behind a function URL
 * with `AWS_IAM`. A person needs the role *read* or *operate*; everybody else gets 403. The function's own
 * role only reads. For a change it assumes another role in the name of the person. Every action is kept in a
 * table to which the console can only add. Throws a `ConfigurationError` for invalid properties.
 *
 * @example
 * new ClaimsConsole(this, 'Console', { claims, queues: [orders], functionUrl: { operate: [onCall] } });
 */
export class ClaimsConsole extends Construct {
  /** The function that answers the requests. */
  readonly function: lambda.Function;
  /** The function URL; undefined behind a load balancer. */
  readonly functionUrl: lambda.FunctionUrl | undefined;
  /** The table of actions. */
  readonly actions: dynamodb.ITable;
  /** The role that the function assumes for a change; undefined if nobody has the role *operate*. */
  readonly changesRole: iam.Role | undefined;

  /**
   * Creates the function, its log group, the table of actions, the roles, and the entrance.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The table, the queues, the entrance with its roles, and the properties of the function.
   */
  constructor(scope: Construct, id: string, props: ClaimsConsoleProps) {
    super(scope, id);
    checkClaimsConsole(props);
    this.actions = createActions(this, props);
    this.function = createFunction(this, props);
    this.changesRole = createChangesRole(this, props);
    grantReads(this, props);
    this.functionUrl = addEntrance(this, props);
    this.function.addEnvironment('CONSOLE', settingsOf(this, props));
  }
}

function createActions(scope: Construct, { claims }: ClaimsConsoleProps): dynamodb.ITable {
  const { encryptionKey } = claims.table;
  const table = new dynamodb.Table(scope, 'Actions', {
    partitionKey: { name: 'log', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'at', type: dynamodb.AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN,
    deletionProtection: true,
    ...(encryptionKey !== undefined && {
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
    }),
  });
  // The CDK's types do not support `exactOptionalPropertyTypes`.
  return table as dynamodb.ITable;
}

function createFunction(scope: Construct, props: ClaimsConsoleProps): lambda.Function {
  const { memorySize = 512, logRetention = logs.RetentionDays.ONE_MONTH } = props;
  return new lambda.Function(scope, 'Function', {
    description: 'The console of batchlatch: shows claims and dead letters, and changes them.',
    code: props.code ?? consoleCode(),
    handler: 'console-function/index.handler',
    runtime: props.runtime ?? lambda.Runtime.NODEJS_22_X,
    architecture: props.architecture ?? lambda.Architecture.ARM_64,
    memorySize,
    timeout: TIMEOUT,
    loggingFormat: lambda.LoggingFormat.JSON,
    logGroup: new logs.LogGroup(scope, 'Logs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
  });
}

function grantReads(
  console: ClaimsConsole,
  { claims, queues = [], outbox, logGroups = [] }: ClaimsConsoleProps,
): void {
  claims.grantRead(console.function);
  grantActions(console.actions, console.function);
  for (const batch of queues) batch.grantRead(console.function);
  outbox?.grantRead(console.function);
  for (const group of logGroups) group.grant(console.function, 'logs:FilterLogEvents');
}

function createChangesRole(console: ClaimsConsole, props: ClaimsConsoleProps): iam.Role | undefined {
  const { operate = [] } = props.loadBalancer ?? props.functionUrl ?? {};
  if (operate.length === 0) return undefined;
  const role = new iam.Role(console, 'ChangesRole', {
    description: 'Assumed by the console of batchlatch for a change, in the name of the person.',
    assumedBy: console.function.grantPrincipal,
  });
  role.grantAssumeRole(console.function.grantPrincipal);
  props.claims.grantOperate(role);
  grantActionsLog(console.actions, role);
  for (const batch of props.queues ?? []) batch.grantOperate(role);
  props.outbox?.grantOperate(role);
  return role;
}

function addEntrance(
  console: ClaimsConsole,
  { loadBalancer, functionUrl }: ClaimsConsoleProps,
): lambda.FunctionUrl | undefined {
  if (loadBalancer !== undefined) {
    addListenerRules(console, console.function, loadBalancer);
    return undefined;
  }
  const url = console.function.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.AWS_IAM });
  const { read = [], operate = [] } = functionUrl ?? {};
  for (const principal of new Set([...read, ...operate])) url.grantInvokeUrl(principal);
  return url;
}

/** Returns the settings that `packages/cli/src/console-function/config.ts` reads. */
function settingsOf(console: ClaimsConsole, props: ClaimsConsoleProps): string {
  const { claims, queues = [], namespace, namespaces, actionRetention = Duration.days(400) } = props;
  const { logGroups = [], allowSending = false, outbox } = props;
  const stack = Stack.of(console);
  const { changesRole } = console;
  return stack.toJsonString({
    tableName: claims.table.tableName,
    hasIndex: claims.overdueIndexName !== undefined,
    actionsTableName: console.actions.tableName,
    actionRetentionDays: actionRetention.toDays(),
    // Names alone: Lambda takes 4 KB of environment.
    queues: queues.map(({ queue, deadLetterQueue }) => [queue.queueName, deadLetterQueue.queueName]),
    queuesUrl: `https://sqs.${stack.region}.${stack.urlSuffix}/${stack.account}/`,
    ...(namespace !== undefined && { namespace }),
    ...(namespaces !== undefined && { namespaces }),
    ...(outbox !== undefined && { outboxTableName: outbox.table.tableName }),
    ...(allowSending && { allowSending }),
    ...(logGroups.length > 0 && {
      logs: {
        groups: logGroups.map(({ logGroupName }) => logGroupName),
        url: `https://logs.${stack.region}.${stack.urlSuffix}`,
      },
    }),
    entrance: entranceOf(props),
    ...(changesRole !== undefined && {
      changes: { roleArn: changesRole.roleArn, stsUrl: `https://sts.${stack.region}.${stack.urlSuffix}` },
    }),
  });
}

function entranceOf({ loadBalancer, functionUrl }: ClaimsConsoleProps): object {
  if (loadBalancer === undefined) {
    const { read = [], operate = [] } = functionUrl ?? {};
    return { kind: 'function-url', roles: { read: read.map(arnOf), operate: operate.map(arnOf) } };
  }
  const { listener, issuer, clientId, claim = 'groups', read = [], operate = [] } = loadBalancer;
  const { loadBalancerArn } = listener.loadBalancer;
  return { kind: 'load-balancer', loadBalancerArn, issuer, clientId, claim, roles: { read, operate } };
}

function arnOf(principal: iam.IRole | iam.IUser): string {
  return 'roleArn' in principal ? principal.roleArn : principal.userArn;
}
