import { describe, expect, it } from '@jest/globals';
import { App, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import {
  BatchAlarms,
  type BatchAlarmsProps,
  BatchQueue,
  type BatchQueueProps,
  ClaimMonitor,
  type ClaimMonitorProps,
  ClaimsTable,
} from 'batchlatch-cdk';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { allowedTo, aRole, claimsOf, code, outdir, synthesised } from './synthesised.ts';
import { doctorTemplate } from '../../cli/src/doctor/doctor-template.ts';

describe('ClaimsTable', () => {
  it('is the table that the store writes, with its overdue index', () => {
    const { table, timeToLive } = claimsTableDefinition('claims', {}, { overdueIndex: true });
    const template = synthesised((stack) => new ClaimsTable(stack, 'Claims', { tableName: 'claims' }));
    const definition = {
      ...table,
      AttributeDefinitions: Match.arrayWith([...(table.AttributeDefinitions ?? [])]),
    };
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      ...definition,
      TimeToLiveSpecification: timeToLive.TimeToLiveSpecification,
    });
  });

  it('is the table that the store writes without the index', () => {
    const { table } = claimsTableDefinition('claims');
    const template = synthesised(
      (stack) => new ClaimsTable(stack, 'Claims', { tableName: 'claims', overdueIndex: false }),
    );
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      ...table,
      GlobalSecondaryIndexes: Match.absent(),
    });
  });

  it('outlives its stack, cannot be deleted, and can be restored', () => {
    const template = synthesised((stack) => new ClaimsTable(stack, 'Claims'));
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  it('goes with its stack where it is told to', () => {
    const template = synthesised(
      (stack) => new ClaimsTable(stack, 'Claims', { removalPolicy: RemovalPolicy.DESTROY }),
    );
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });

  it('allows what is needed, on the table or on its index, and nothing more', () => {
    const template = synthesised((stack) => {
      const claims = new ClaimsTable(stack, 'Claims');
      claims.grantClaims(aRole(stack, 'Claimer'));
      claims.grantMonitor(aRole(stack, 'Watcher'));
      claims.grantOperate(aRole(stack, 'Person'));
    });
    expect(allowedTo(template, 'Claimer')).toEqual({
      Claims: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
    });
    expect(allowedTo(template, 'Watcher')).toEqual({
      Claims: ['dynamodb:BatchGetItem'],
      'Claims/index/overdue': ['dynamodb:Query'],
    });
    expect(allowedTo(template, 'Person')).toEqual({
      Claims: [
        'dynamodb:BatchGetItem',
        'dynamodb:DeleteItem',
        'dynamodb:DescribeContinuousBackups',
        'dynamodb:DescribeTable',
        'dynamodb:DescribeTimeToLive',
        'dynamodb:Scan',
        'dynamodb:UpdateItem',
      ],
      'Claims/index/overdue': ['dynamodb:Query'],
    });
  });

  it('allows the use of its own key with each grant', () => {
    const template = synthesised((stack) => {
      const claims = new ClaimsTable(stack, 'Claims', { encryptionKey: new kms.Key(stack, 'Key') });
      claims.grantClaims(aRole(stack, 'Claimer'));
    });
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
    expect(allowedTo(template, 'Claimer')['Key']).toContain('kms:Decrypt');
  });

  it('lets those who only read decrypt with its own key, and not encrypt', () => {
    const template = synthesised((stack) => {
      const claims = new ClaimsTable(stack, 'Claims', { encryptionKey: new kms.Key(stack, 'Key') });
      claims.grantRead(aRole(stack, 'Reader'));
      claims.grantMonitor(aRole(stack, 'Monitor'));
      claims.grantOperate(aRole(stack, 'Person'));
    });
    expect(allowedTo(template, 'Reader')['Key']).toEqual(['kms:Decrypt']);
    expect(allowedTo(template, 'Monitor')['Key']).toEqual(['kms:Decrypt']);
    expect(JSON.stringify(template.findResources('AWS::IAM::Policy'))).toContain('kms:Encrypt');
  });

  it('takes a table that exists, and makes none', () => {
    const template = synthesised((stack) => {
      const table = dynamodb.Table.fromTableArn(
        stack,
        'Table',
        'arn:aws:dynamodb:eu-west-1:111122223333:table/claims',
      );
      new ClaimsTable(stack, 'Claims', { table }).grantMonitor(aRole(stack, 'Watcher'));
    });
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(Object.keys(allowedTo(template, 'Watcher'))).toEqual([
      'arn:aws:dynamodb:eu-west-1:111122223333:table/claims',
      'arn:aws:dynamodb:eu-west-1:111122223333:table/claims/index/overdue',
    ]);
  });

  it('takes a table that exists beside properties that are undefined', () => {
    const template = synthesised((stack) => {
      const table = dynamodb.Table.fromTableName(stack, 'Table', 'claims');
      const props = { table, encryptionKey: undefined, tableName: undefined };
      return new ClaimsTable(stack, 'Claims', props as object);
    });
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
  });

  it('refuses a function that claims in another table: it reads one name', () => {
    const connect = (stack: Stack, ids: readonly string[]) => {
      const charge = aFunction(stack, Duration.seconds(30));
      for (const id of ids) {
        const table = dynamodb.Table.fromTableName(stack, `${id}Table`, id.slice(0, 3));
        new ClaimsTable(stack, id, { table }).connect(charge);
      }
    };
    expect(() => synthesised((stack) => connect(stack, ['OneClaims', 'One']))).not.toThrow();
    expect(() => synthesised((stack) => connect(stack, ['OneClaims', 'Two']))).toThrow(
      'ClaimsTable: Shop/Charge has the table of Shop/OneClaims in `CLAIMS_TABLE_NAME`; give both constructs ' +
        'one table, or call `grantClaims` and name the second in a variable of your own',
    );
  });

  it.each<[string, object, string]>([
    ['a name of a table that exists', { tableName: 'a' }, '`tableName` cannot change the existing `table`'],
    ['what it does not know', { overdue: true }, 'Unknown option `overdue`; known options are table,'],
    ['an index that is no boolean', { overdueIndex: 'x' }, 'Expected `overdueIndex` to be true or false'],
  ])('refuses %s', (_what, props, message) => {
    const stack = new Stack(new App({ analyticsReporting: false, outdir }));
    const table = 'tableName' in props && dynamodb.Table.fromTableName(stack, 'Table', 'claims');
    const make = () => new ClaimsTable(stack, 'Claims', { ...(table && { table }), ...props });
    expect(make).toThrow(`ClaimsTable: ${message}`);
  });

  it('refuses a monitor without its index', () => {
    const stack = new Stack(new App({ analyticsReporting: false, outdir }));
    const claims = new ClaimsTable(stack, 'Claims', { overdueIndex: false });
    expect(() => claims.grantMonitor(aRole(stack, 'Watcher'))).toThrow('the table has no overdue index');
    expect(() => claims.grantOperate(aRole(stack, 'Person'))).not.toThrow();
  });
});

describe('BatchQueue', () => {
  it('hides a message for six runs of the function and the window', () => {
    withBatch({ maxBatchingWindow: Duration.seconds(5), batchSize: 100 }).hasResourceProperties(
      'AWS::SQS::Queue',
      { VisibilityTimeout: 185, SqsManagedSseEnabled: true, MessageRetentionPeriod: 345_600 },
    );
  });

  it('gives messages up to a queue of its own that keeps them longer and takes no others', () => {
    const template = withBatch({});
    const queues = Object.values(template.findResources('AWS::SQS::Queue'));
    const [deadLetters, queue] = queues.map(({ Properties }) => Properties);
    expect(queue.RedrivePolicy).toMatchObject({ maxReceiveCount: 5 });
    expect(deadLetters).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    expect(deadLetters.RedriveAllowPolicy.redrivePermission).toBe('byQueue');
    expect(JSON.stringify(deadLetters.RedriveAllowPolicy.sourceQueueArns)).toContain(`:${queue.QueueName}"`);
  });

  it('is reached by TLS alone, both queues', () => {
    const policies = Object.values(withBatch({}).findResources('AWS::SQS::QueuePolicy'));
    expect(policies).toHaveLength(2);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    }
  });

  it('invokes the function with partial batch responses and metrics', () => {
    withBatch({ maxConcurrency: 10 }).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MetricsConfig: { Metrics: ['EventCount'] },
      ScalingConfig: { MaximumConcurrency: 10 },
      MaximumBatchingWindowInSeconds: Match.absent(),
    });
  });

  it('gives the function its table, and permissions on its table and its queue alone', () => {
    const template = withBatch({});
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          CLAIMS_TABLE_NAME: { Ref: Match.stringLikeRegexp('^Claims') },
        },
      },
    });
    expect(allowedTo(template, 'Charge')).toEqual({
      Claims: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
      OrdersQueue: ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
    });
  });

  it('allows more where the processor needs it', () => {
    const template = withBatch({}, (batch) => {
      batch.grantVisibility();
      batch.grantDeadLetter();
    });
    expect(allowedTo(template, 'Charge')).toMatchObject({
      OrdersQueue: expect.arrayContaining(['sqs:ChangeMessageVisibility']),
      OrdersDeadLetterQueue: ['sqs:SendMessage'],
    });
  });

  it('allows a person to send dead letters back', () => {
    const template = withBatch({}, (batch) => batch.grantOperate(aRole(Stack.of(batch), 'Person')));
    expect(allowedTo(template, 'Person')).toEqual({
      OrdersDeadLetterQueue: [
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
      OrdersQueue: ['sqs:GetQueueAttributes', 'sqs:SendMessage'],
    });
  });

  it('is a FIFO queue with a FIFO dead-letter queue', () => {
    const template = withBatch({ fifo: true });
    template.resourcePropertiesCountIs('AWS::SQS::Queue', { FifoQueue: true }, 2);
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: Match.stringLikeRegexp('^.{1,75}[.]fifo$'),
    });
  });

  it('keeps messages of a FIFO queue for as long as their dead letters, which start anew there', () => {
    const template = withBatch({ fifo: true, retentionPeriod: Duration.days(14) });
    template.resourcePropertiesCountIs('AWS::SQS::Queue', { MessageRetentionPeriod: 1_209_600 }, 2);
  });

  it('encrypts with a key of its own, which the function may use', () => {
    const template = synthesised((stack) => {
      const encryptionKey = new kms.Key(stack, 'Key');
      return aBatch(stack, { encryptionKey });
    });
    template.resourcePropertiesCountIs('AWS::SQS::Queue', { KmsMasterKeyId: Match.anyValue() }, 2);
    expect(allowedTo(template, 'Charge')['Key']).toEqual(['kms:Decrypt']);
  });

  it('wants a visibility timeout where nobody knows the timeout of the function', () => {
    const make = (stack: Stack, props: Partial<BatchQueueProps>) => {
      const seconds = new CfnParameter(stack, 'Seconds', { type: 'Number' }).valueAsNumber;
      const charge = aFunction(stack, Duration.seconds(seconds));
      return new BatchQueue(stack, 'Orders', { function: charge, claims: claimsOf(stack), ...props });
    };
    expect(() => synthesised((stack) => make(stack, {}))).toThrow('give `visibilityTimeout`');
    synthesised((stack) => make(stack, { visibilityTimeout: Duration.minutes(10) })).hasResourceProperties(
      'AWS::SQS::Queue',
      { VisibilityTimeout: 600 },
    );
  });

  it.each<[string, Partial<BatchQueueProps>, string]>([
    ['no function', { function: undefined as never }, 'Expected `function` to be a Function of aws-cdk-lib'],
    ['a wider FIFO batch', { fifo: true, batchSize: 11 }, 'Expected `batchSize` to be at most 10, got 11'],
    [
      'a FIFO window',
      { fifo: true, maxBatchingWindow: Duration.seconds(1) },
      'a FIFO queue has no `maxBatch',
    ],
    ['a wide batch without a window', { batchSize: 100 }, 'a `batchSize` above 10 needs `maxBatchingWindow`'],
    ['a long window', { maxBatchingWindow: Duration.minutes(6) }, 'to be at most 300 seconds, got 360'],
    [
      'one invocation at a time',
      { maxConcurrency: 1 },
      'Expected `maxConcurrency` to be an integer from 2 up',
    ],
    [
      'more receives than SQS counts',
      { maxReceiveCount: 1_001 },
      'Expected `maxReceiveCount` to be at most 1000',
    ],
    ['too many at a time', { maxConcurrency: 1_001 }, 'Expected `maxConcurrency` to be at most 1000'],
    [
      'dead letters that go first',
      { deadLetterRetentionPeriod: Duration.days(4) },
      'Expected `deadLetterRetentionPeriod` to be longer than `retentionPeriod`, got 345600 and 345600',
    ],
    [
      'a short visibility timeout',
      { visibilityTimeout: Duration.seconds(179) },
      'Expected `visibilityTimeout` to be at least 180 seconds',
    ],
    [
      'seconds as a number',
      { visibilityTimeout: 180 as never },
      'Expected `visibilityTimeout` to be a Duration of aws-cdk-lib that is known at synthesis, got `180`',
    ],
  ])('refuses %s', (_what, props, message) => {
    expect(() => withBatch(props)).toThrow(message);
  });
});

describe('ClaimMonitor', () => {
  it('looks every five minutes, and may read the table and its index', () => {
    const template = synthesised((stack) => aMonitor(stack));
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(5 minutes)' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'index.handler',
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      Environment: { Variables: { CLAIMS_TABLE_NAME: Match.anyValue() } },
    });
    template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    expect(allowedTo(template, 'Monitor')).toEqual({
      Claims: ['dynamodb:BatchGetItem'],
      'Claims/index/overdue': ['dynamodb:Query'],
    });
  });

  it('needs the code that a build makes, or one of its own', () => {
    expect(() => synthesised((stack) => aMonitor(stack, { code: undefined as never }))).toThrow(
      /^ClaimMonitor: its code is not in .+monitor-function/,
    );
  });
});

describe('BatchAlarms', () => {
  it('watches the claims, the queues and the functions', () => {
    const found = alarmsOf({});
    expect(Object.keys(found).toSorted()).toEqual([
      'AWS/Lambda Errors',
      'AWS/Lambda Throttles',
      'AWS/SQS ApproximateAgeOfOldestMessage',
      'AWS/SQS ApproximateNumberOfMessagesVisible',
      'batchlatch OverdueClaims',
      'batchlatch ParkedClaims',
      'batchlatch ParkedLapsedClaims',
    ]);
    expect(found['batchlatch OverdueClaims']).toMatchObject({
      Dimensions: [{ Name: 'table' }],
      Threshold: 1,
      EvaluationPeriods: 2,
      Period: 300,
      TreatMissingData: 'missing',
      InsufficientDataActions: [expect.anything()],
    });
    expect(found['batchlatch ParkedClaims']).toMatchObject({ TreatMissingData: 'ignore' });
    expect(found['batchlatch ParkedLapsedClaims']).toMatchObject({
      Dimensions: [{ Name: 'table' }],
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'ignore',
    });
    expect(found['AWS/SQS ApproximateAgeOfOldestMessage']).toMatchObject({
      Threshold: 900,
      TreatMissingData: 'notBreaching',
    });
    for (const alarm of Object.values(found)) {
      expect(alarm).toMatchObject({
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        AlarmActions: [{ Ref: expect.stringMatching(/^Topic/) }],
        OKActions: [{ Ref: expect.stringMatching(/^Topic/) }],
      });
    }
  });

  it('has no alarm whose threshold is false, and others at their own', () => {
    const found = alarmsOf({
      parkedClaims: false,
      outcomeUnknownClaims: false,
      errors: false,
      oldestMessageAge: Duration.hours(1),
    });
    expect(Object.keys(found)).not.toContain('batchlatch ParkedClaims');
    expect(Object.keys(found)).not.toContain('batchlatch ParkedLapsedClaims');
    expect(Object.keys(found)).not.toContain('AWS/Lambda Errors');
    expect(found['AWS/SQS ApproximateAgeOfOldestMessage']).toMatchObject({ Threshold: 3_600 });
  });

  it('counts what started and did not end, where it is asked to', () => {
    const { Metrics } = alarmsOf({ unfinished: 3 })['batchlatch Started'] as { Metrics: object[] };
    expect(Metrics).toHaveLength(3);
    expect(JSON.stringify(Metrics)).toContain('FILL(started, 0) - FILL(completed, 0)');
    expect(JSON.stringify(Metrics)).toMatch(
      /"Name":"function","Value":\{"Ref":"Charge\w+"\}\},\{"Name":"source","Value":"sqs"/,
    );
  });

  it('are those of each queue, where two paths have the same letters', () => {
    const template = synthesised((stack) => {
      const props = { function: aFunction(stack, Duration.seconds(30)), claims: claimsOf(stack) };
      const queues = ['Orders-Eu', 'OrdersEu'].map((id) => new BatchQueue(stack, id, props));
      return new BatchAlarms(stack, 'Alarms', { queues });
    });
    const ids = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(ids.filter((id) => /DeadLetters/.test(id))).toHaveLength(2);
  });

  it('watch a function of two queues once', () => {
    const template = synthesised((stack) => {
      const props = { function: aFunction(stack, Duration.seconds(30)), claims: claimsOf(stack) };
      const queues = ['Urgent', 'Normal'].map((id) => new BatchQueue(stack, id, props));
      return new BatchAlarms(stack, 'Alarms', { queues, unfinished: 1 });
    });
    const ids = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    const watched = ids.map((id) => id.replace(/^Alarms|[0-9A-F]{8}$/g, '')).toSorted();
    expect(watched).toEqual([
      'ShopNormalAge',
      'ShopNormalDeadLetters',
      'ShopUrgentAge',
      'ShopUrgentDeadLetters',
      'ShopUrgentErrors',
      'ShopUrgentThrottles',
      'ShopUrgentUnfinished',
    ]);
  });

  it('refuses thresholds that are none', () => {
    expect(() => alarmsOf({ errors: 0 })).toThrow(
      'BatchAlarms: Expected `errors` to be an integer from 1 up, or false, got `0`',
    );
    expect(() => alarmsOf({ queues: {} as never })).toThrow('BatchAlarms: Expected `queues` to be an array');
  });

  function alarmsOf(props: BatchAlarmsProps): Record<string, Record<string, unknown>> {
    const template = synthesised((stack) => {
      const batch = aBatch(stack, {});
      const monitor = new ClaimMonitor(stack, 'Monitor', { claims: claimsOf(stack), code });
      const topic = new sns.Topic(stack, 'Topic');
      return new BatchAlarms(stack, 'Alarms', { queues: [batch], monitor, topic, ...props });
    });
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
    return Object.fromEntries(
      alarms.map(({ Properties }) => {
        const { Namespace, MetricName } = Properties.Metrics?.[1].MetricStat.Metric ?? Properties;
        return [`${Namespace} ${MetricName}`, Properties];
      }),
    );
  }
});

describe('A stack of all constructs', () => {
  it.each([false, true])('has nothing that doctor finds fault with: FIFO %s', (fifo) => {
    const template = synthesised((stack) => {
      const batch = aBatch(stack, { fifo, maxConcurrency: 5 });
      const monitor = aMonitor(stack);
      return new BatchAlarms(stack, 'Alarms', { queues: [batch], monitor, unfinished: 1 });
    });
    const report = doctorTemplate({ file: 'Shop.json', text: JSON.stringify(template.toJSON()) });
    expect(report.findings).toEqual([]);
    expect(report.checked.length).toBeGreaterThan(4);
  });
});

function withBatch(
  props: Partial<BatchQueueProps>,
  then: (batch: BatchQueue) => unknown = () => {},
): Template {
  return synthesised((stack) => then(aBatch(stack, props)));
}

function aBatch(stack: Stack, props: Partial<BatchQueueProps>): BatchQueue {
  const charge = aFunction(stack, Duration.seconds(30));
  return new BatchQueue(stack, 'Orders', { function: charge, claims: claimsOf(stack), ...props });
}

function aFunction(stack: Stack, timeout: Duration): lambda.Function {
  return new lambda.Function(stack, 'Charge', {
    code,
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_22_X,
    timeout,
  });
}

function aMonitor(stack: Stack, props: Partial<ClaimMonitorProps> = {}): ClaimMonitor {
  return new ClaimMonitor(stack, 'Monitor', { claims: claimsOf(stack), code, ...props });
}
