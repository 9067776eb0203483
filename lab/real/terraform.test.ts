import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { readClaims } from '../local/demo/stored-orders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';
import { initialiseTerraform, runTerraform, terraform } from '../../test/support/components/terraform.ts';
import { bundleFunction } from './support/bundle-function.ts';
import { invokeFunction } from './support/invoke-function.ts';
import { folderWithSdk, monitorFunction } from './support/monitor-function.ts';
import { runFolder, samCli } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';
import { until } from './support/until.ts';
import { zipFolder } from './support/zip-folder.ts';

describeWith([terraform], 'examples/terraform', () => {
  it('is formatted', async () => {
    await expect(runTerraform('examples/terraform', ['fmt', '-check', '-diff'])).resolves.toBe('');
  });

  it('is what the provider takes', async () => {
    await expect(runTerraform(await initialised(), ['validate'])).resolves.toContain('is valid');
  });
});

describeWith(
  [terraform, ministack, samCli, lambdaRuntime],
  'examples/terraform, applied to MiniStack,',
  () => {
    let cloud: LocalService;
    let dynamoDB: DynamoDBClient;
    let sqs: SQSClient;
    let outputs: Readonly<Record<string, string>>;
    beforeAll(async () => {
      await samCli.install();
      cloud = await startMinistack({ node: 22, filesIn: await folderWithSdk() });
      dynamoDB = emulatorClient(cloud.endpoint);
      sqs = new SQSClient({ ...emulatorClientConfig, endpoint: cloud.endpoint });
      outputs = await apply();
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      dynamoDB.destroy();
      sqs.destroy();
      await cloud.stop();
    });

    it('has the table that the store writes', async () => {
      const TableName = outputs['table_name'] ?? '';
      const { table, timeToLive } = claimsTableDefinition(TableName, {}, { overdueIndex: true });
      const { Table } = await dynamoDB.send(new DescribeTableCommand({ TableName }));
      expect(Table).toMatchObject({
        KeySchema: table.KeySchema,
        GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
        DeletionProtectionEnabled: true,
      });
      const { TimeToLiveDescription } = await dynamoDB.send(new DescribeTimeToLiveCommand({ TableName }));
      expect(TimeToLiveDescription?.AttributeName).toBe(timeToLive.TimeToLiveSpecification?.AttributeName);
    });

    it('has a queue that gives messages up to the other, which takes no others', async () => {
      const queue = await attributesOf('queue_url');
      const deadLetters = await attributesOf('dead_letter_queue_url');
      expect(queue['VisibilityTimeout']).toBe('180');
      expect(JSON.parse(queue['RedrivePolicy'] ?? '{}')).toMatchObject({
        deadLetterTargetArn: deadLetters['QueueArn'],
      });
      expect(JSON.parse(deadLetters['RedriveAllowPolicy'] ?? '{}')).toMatchObject({
        sourceQueueArns: [queue['QueueArn']],
      });
    });

    it('runs the messages of its queue, each once', async () => {
      await sendMessages(sqs, outputs['queue_url'] ?? '', [
        { body: '{"id":"one"}' },
        { body: '{"id":"two"}' },
      ]);
      const claims = await until('two claims are completed', async () => {
        const found = await readClaims(dynamoDB, outputs['table_name'] ?? '');
        return found.filter(({ status }) => status === 'COMPLETED').length === 2 && found;
      });
      expect(claims.map(({ attempt }) => attempt)).toEqual([1, 1]);
    });

    it('has a monitor that counts the claims of the table', async () => {
      await expect(invokeFunction(cloud.endpoint, outputs['monitor_name'] ?? '', {})).resolves.toMatchObject({
        table: outputs['table_name'],
      });
    });

    async function attributesOf(output: string): Promise<Record<string, string>> {
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: outputs[output], AttributeNames: ['All'] }),
      );
      return Attributes;
    }

    async function apply(): Promise<Readonly<Record<string, string>>> {
      const folder = await initialised();
      const [records, monitor] = [join(folder, 'records.zip'), join(folder, 'monitor.zip')];
      await zipFolder(await bundleFunction('charging'), records);
      await zipFolder(await monitorFunction(), monitor);
      const env = {
        AWS_ENDPOINT_URL: cloud.endpoint,
        AWS_REGION: emulatorClientConfig.region,
        AWS_ACCESS_KEY_ID: emulatorClientConfig.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: emulatorClientConfig.credentials.secretAccessKey,
        TF_VAR_function_package: records,
        TF_VAR_function_handler: 'charging.handler',
        TF_VAR_monitor_package: monitor,
      };
      await runTerraform(folder, ['apply', '-auto-approve', '-input=false'], env);
      const printed = JSON.parse(await runTerraform(folder, ['output', '-json'], env)) as Record<
        string,
        Output
      >;
      return Object.fromEntries(Object.entries(printed).map(([name, { value }]) => [name, value]));
    }
  },
);

interface Output {
  readonly value: string;
}

/** A copy of the example, with its provider. */
async function initialised(): Promise<string> {
  const folder = await mkdtemp(join(runFolder(), 'terraform-'));
  await cp('examples/terraform', folder, { recursive: true });
  await initialiseTerraform(folder);
  return folder;
}
