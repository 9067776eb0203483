import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { IAM } from '@aws-sdk/client-iam';
import { Lambda } from '@aws-sdk/client-lambda';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { BatchQueue, ClaimMonitor, ClaimsTable } from 'batchlatch-cdk';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { doctorLive, type DoctorReport, doctorTemplate } from '../../packages/cli/src/doctor/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';

/** An archive without files. */
const EMPTY_ZIP = Uint8Array.from([0x50, 0x4b, 0x05, 0x06, ...Array.from({ length: 18 }, () => 0)]);

/** As deployed functions, queues, tables and roles are read with the clients of AWS's SDK. */
describeWith([ministack], 'doctor, on what is deployed to MiniStack,', () => {
  let cloud: LocalService;
  let clients: { sqs: SQS; dynamoDB: DynamoDB; lambda: Lambda; iam: IAM };
  beforeAll(async () => {
    cloud = await startMinistack();
    const config = { ...emulatorClientConfig, endpoint: cloud.endpoint };
    clients = {
      sqs: new SQS(config),
      dynamoDB: new DynamoDB(config),
      lambda: new Lambda(config),
      iam: new IAM(config),
    };
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const client of Object.values(clients)) client.destroy();
    await cloud.stop();
  });

  it('finds no mistake in a function that has none, and has looked at its queue, its table and its role', async () => {
    const { functionName, tableName, queueUrl } = await deploy({});
    const report = await doctorLive(clients, { functionName });
    expect(mistakesOf(report)).toEqual([]);
    expect(report.checked).toEqual(
      expect.arrayContaining([
        `function ${functionName}`,
        `claims table ${tableName}`,
        `queue ${queueUrl.split('/').at(-1)}`,
        `dead-letter queue ${queueUrl.split('/').at(-1)}-dead`,
      ]),
    );
    expect(report.skipped.join('\n')).not.toMatch(/role|Role/);
  });

  it('finds the function of a queue by the queue alone', async () => {
    const { functionName, queueUrl } = await deploy({});
    const { checked } = await doctorLive(clients, { queueUrl });
    expect(checked).toContain(`function ${functionName}`);
  });

  it.each([
    ['report-batch-item-failures-off', { responseTypes: [] }],
    ['visibility-timeout-too-short', { visibility: '90' }],
    ['missing-claims-permissions', { actions: ['dynamodb:BatchGetItem'] }],
    ['reserved-concurrency-too-low', { reserved: 3 }],
    ['ttl-off', { hasTtl: false }],
  ])('finds: %s', async (code, mistake) => {
    const { functionName } = await deploy(mistake);
    expect(mistakesOf(await doctorLive(clients, { functionName }))).toEqual([code]);
  });

  it('says in one line that a function is not there', async () => {
    await expect(doctorLive(clients, { functionName: 'nowhere' })).rejects.toThrow(
      'There is no function nowhere.',
    );
  });

  async function deploy({
    visibility = '180',
    responseTypes = ['ReportBatchItemFailures'],
    actions = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'],
    reserved,
    hasTtl = true,
  }: {
    visibility?: string;
    responseTypes?: string[];
    actions?: string[];
    reserved?: number;
    hasTtl?: boolean;
  }): Promise<{ functionName: string; tableName: string; queueUrl: string }> {
    const { sqs, dynamoDB, lambda, iam } = clients;
    const name = `orders-${randomUUID()}`;
    const tableArn = await createTable(dynamoDB, name, hasTtl);
    const dead = await createQueue(sqs, `${name}-dead`, { MessageRetentionPeriod: '1209600' });
    const queue = await createQueue(sqs, name, {
      VisibilityTimeout: visibility,
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 5 }),
    });
    const Statement = [
      { Effect: 'Allow', Action: actions, Resource: tableArn },
      {
        Effect: 'Allow',
        Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        Resource: queue.arn,
      },
    ];
    const { Role } = await iam.createRole({ RoleName: name, AssumeRolePolicyDocument: '{}' });
    const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
    await iam.putRolePolicy({ RoleName: name, PolicyName: 'orders', PolicyDocument });
    await lambda.createFunction({
      FunctionName: name,
      Runtime: 'nodejs22.x',
      Handler: 'index.handler',
      Timeout: 30,
      Role: Role?.Arn ?? '',
      Code: { ZipFile: EMPTY_ZIP },
      Environment: { Variables: { CLAIMS_TABLE_NAME: name } },
    });
    if (reserved !== undefined) {
      await lambda.putFunctionConcurrency({ FunctionName: name, ReservedConcurrentExecutions: reserved });
    }
    await lambda.createEventSourceMapping({
      FunctionName: name,
      EventSourceArn: queue.arn,
      FunctionResponseTypes: responseTypes as 'ReportBatchItemFailures'[],
    });
    return { functionName: name, tableName: name, queueUrl: queue.url };
  }
});

/** The CDK makes a folder for each app, and leaves it. */
const outdir = mkdtempSync(join(tmpdir(), 'batchlatch-cdk-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

// The CDK takes seconds to load.
it.each([[false], [true]])("the CDK's constructs have no mistakes, fifo: %s", (fifo) => {
  const stack = new Stack(new App({ outdir, analyticsReporting: false, treeMetadata: false }), 'Shop');
  const code = lambda.Code.fromInline('exports.handler = async () => {};');
  const claims = new ClaimsTable(stack, 'Claims');
  const charge = new lambda.Function(stack, 'Charge', {
    code,
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_22_X,
    timeout: Duration.seconds(10),
  });
  void new BatchQueue(stack, 'Orders', { function: charge, claims, fifo });
  void new ClaimMonitor(stack, 'Monitor', { claims, code });
  const text = JSON.stringify(Template.fromStack(stack).toJSON(), undefined, 1);
  const report = doctorTemplate({ file: 'Shop.template.json', text });
  expect(mistakesOf(report)).toEqual([]);
  expect(report.checked).toHaveLength(7);
  expect(report.skipped).toEqual([]);
});

/** Without what is merely worth knowing. */
function mistakesOf({ findings }: DoctorReport): string[] {
  return findings.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
}

async function createTable(dynamoDB: DynamoDB, name: string, hasTtl: boolean): Promise<string> {
  const { table, timeToLive } = claimsTableDefinition(name);
  const { TableDescription } = await dynamoDB.createTable({ ...table, DeletionProtectionEnabled: true });
  if (hasTtl) await dynamoDB.updateTimeToLive(timeToLive);
  await dynamoDB.updateContinuousBackups({
    TableName: name,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  return TableDescription?.TableArn ?? '';
}

async function createQueue(
  sqs: SQS,
  QueueName: string,
  Attributes: Readonly<Record<string, string>>,
): Promise<{ url: string; arn: string }> {
  const { QueueUrl: url = '' } = await sqs.createQueue({ QueueName, Attributes });
  const found = await sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ['QueueArn'] });
  return { url, arn: found.Attributes?.QueueArn ?? '' };
}
