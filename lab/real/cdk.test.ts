import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { readClaims } from '../local/demo/stored-orders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { installedAt } from '../../test/support/components/cache.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { bundleFunction } from './support/bundle-function.ts';
import { type Asset, type ShopVariant, type Synthesised, synthesiseShop } from './support/cdk-shop.ts';
import { invokeFunction } from './support/invoke-function.ts';
import { folderWithSdk, monitorFunction } from './support/monitor-function.ts';
import { runFolder, sam, samCli } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';
import { until } from './support/until.ts';
import { zipFolder } from './support/zip-folder.ts';

const STACK = 'shop';
const CFN_LINT = join(installedAt('sam'), 'bin', 'cfn-lint');

describeWith([samCli], 'what the CDK makes of the constructs', () => {
  beforeAll(() => samCli.install(), INSTALL_TIMEOUT_MS);

  it.each<[string, Partial<ShopVariant>]>([
    ['with their defaults', {}],
    [
      'as FIFO queues, with keys and every alarm',
      { fifo: true, isEncrypted: true, alarms: { unfinished: 1 } },
    ],
  ])('is clean for cfn-lint %s', async (_what, variant) => {
    const { template } = await synthesised(variant);
    await expect(cfnLint(template)).resolves.toBe('');
  });

  it('is not clean once something in it is wrong', async () => {
    const { template } = await synthesised({});
    const text = await readFile(template, 'utf8');
    await writeFile(template, text.replace('"BatchSize": 10', '"BatchSize": 10001'));
    await expect(cfnLint(template)).rejects.toThrow('10001 is greater than the maximum of 10000');
  });
});

describeWith([ministack, samCli, lambdaRuntime], 'what the CDK makes, deployed to MiniStack,', () => {
  let cloud: LocalService;
  let dynamoDB: DynamoDBClient;
  let sqs: SQSClient;
  let outputs: Readonly<Record<string, string>>;
  beforeAll(async () => {
    await samCli.install();
    cloud = await startMinistack({ node: 22, filesIn: await folderWithSdk() });
    dynamoDB = emulatorClient(cloud.endpoint);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: cloud.endpoint });
    outputs = await deploy();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    dynamoDB.destroy();
    sqs.destroy();
    await cloud.stop();
  });

  it('has its table with the overdue index, and a queue that gives messages up to the other', async () => {
    const { Table } = await dynamoDB.send(new DescribeTableCommand({ TableName: outputs['TableOutput'] }));
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      GlobalSecondaryIndexes: [{ IndexName: 'overdue' }],
    });
    const queue = await attributesOf('QueueOutput');
    const deadLetters = await attributesOf('DeadLettersOutput');
    expect(queue['VisibilityTimeout']).toBe('60');
    const redrive = JSON.parse(queue['RedrivePolicy'] ?? '{}') as { deadLetterTargetArn: string };
    expect(redrive.deadLetterTargetArn).toBe(deadLetters['QueueArn']);
    const allowed = JSON.parse(deadLetters['RedriveAllowPolicy'] ?? '{}') as { sourceQueueArns: string[] };
    expect(allowed.sourceQueueArns).toEqual([queue['QueueArn']]);
  });

  it('runs the messages of its queue, each once', async () => {
    const bodies = ['one', 'two', 'three'].map((id) => JSON.stringify({ id }));
    await sendMessages(
      sqs,
      outputs['QueueOutput'] ?? '',
      bodies.map((body) => ({ body })),
    );
    const claims = await until('three claims are completed', async () => {
      const found = await readClaims(dynamoDB, outputs['TableOutput'] ?? '');
      return found.filter(({ status }) => status === 'COMPLETED').length === 3 && found;
    });
    expect(claims.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(claims.every(({ key }) => key.startsWith(outputs['ChargingOutput'] ?? '?'))).toBe(true);
  });

  it('has a monitor that counts the claims of the table', async () => {
    await expect(
      invokeFunction(cloud.endpoint, outputs['MonitoringOutput'] ?? '', {}),
    ).resolves.toMatchObject({ table: outputs['TableOutput'] });
  });

  async function attributesOf(output: string): Promise<Record<string, string>> {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: outputs[output], AttributeNames: ['All'] }),
    );
    return Attributes;
  }

  async function deploy(): Promise<Readonly<Record<string, string>>> {
    const env = {
      AWS_ENDPOINT_URL: cloud.endpoint,
      AWS_ACCESS_KEY_ID: emulatorClientConfig.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: emulatorClientConfig.credentials.secretAccessKey,
    };
    const { template, assets } = await synthesised({});
    await upload(cloud, assets);
    const quietly = ['--capabilities', 'CAPABILITY_IAM', '--no-confirm-changeset', '--no-progressbar'];
    await sam(['deploy', '--template-file', template, '--stack-name', STACK, '--resolve-s3', ...quietly], {
      env,
    });
    const listed = await sam(['list', 'stack-outputs', '--stack-name', STACK, '--output', 'json'], { env });
    const pairs = JSON.parse(listed) as { OutputKey: string; OutputValue: string }[];
    return Object.fromEntries(pairs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  }
});

async function synthesised(variant: Partial<ShopVariant>): Promise<Synthesised> {
  const charging = await bundleFunction('charging');
  const monitor = await monitorFunction();
  return synthesiseShop(await mkdtemp(join(runFolder(), 'cdk-')), { charging, monitor, ...variant });
}

/** Resolves to what it found fault with in passing, and rejects with what it takes for wrong. */
function cfnLint(template: string): Promise<string> {
  // W3005: the CDK names in DependsOn what a reference makes sure of already.
  const options = ['--regions', 'us-east-1', '--ignore-checks', 'W3005'];
  return runCommand(CFN_LINT, [...options, '--template', template]);
}

/** As `cdk deploy` does before it creates the stack. */
async function upload(cloud: LocalService, assets: readonly Asset[]): Promise<void> {
  const s3 = new S3Client({ ...emulatorClientConfig, endpoint: cloud.endpoint, forcePathStyle: true });
  const archives = await mkdir(join(runFolder(), 'archives'), { recursive: true });
  for (const bucket of new Set(assets.map(({ bucket }) => bucket))) {
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  }
  for (const { folder, bucket, key } of assets) {
    const archive = join(archives ?? runFolder(), key);
    await zipFolder(folder, archive);
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: await readFile(archive) }));
  }
  s3.destroy();
}
