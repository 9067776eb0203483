import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from '../local/demo/stored-orders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';
import { awsJsonCall } from './support/aws-json-call.ts';
import { deployToMinistack } from './support/deploy-to-ministack.ts';
import { builtFunctions, samCli } from './support/sam-cli.ts';
import { until } from './support/until.ts';

describeWith([ministack, samCli, lambdaRuntime], 'the templates of examples, deployed to MiniStack,', () => {
  let cloud: LocalService;
  let dynamoDB: DynamoDBClient;
  let sqs: SQSClient;
  beforeAll(async () => {
    await samCli.install();
    cloud = await startMinistack({ node: 22 });
    dynamoDB = emulatorClient(cloud.endpoint);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: cloud.endpoint });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    dynamoDB.destroy();
    sqs.destroy();
    await cloud.stop();
  });

  describe('orders-fifo', () => {
    const outputs = deployed('examples/orders-fifo/template.yaml', 'orders-fifo');

    it('charges each order once, and gives up at once what can never be charged', async () => {
      const QueueUrl = outputs('OrdersQueueUrl');
      const send = async (orderId: string, amountCents: number, id = orderId) => {
        const body = { orderId, customerId: 'customer', amountCents, currency: 'EUR' };
        const group = { MessageGroupId: 'customer', MessageDeduplicationId: id };
        await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body), ...group }));
      };
      for (const [orderId, amount] of [
        ['a', 100],
        ['b', -1],
        ['c', 300],
      ] as const)
        await send(orderId, amount);
      await send('a', 100, 'again');

      await until('the queue is empty', async () => {
        const { visible, inFlight } = await readDepth(sqs, QueueUrl);
        return visible + inFlight === 0;
      });
      const charged = await readChargedOrders(dynamoDB, outputs('ChargesTableName'));
      expect(charged.toSorted()).toEqual(['a', 'c']);
      expect(await readMessageIds(sqs, outputs('OrdersDeadLetterQueueUrl'))).toHaveProperty('size', 1);
    });
  });

  describe('sources', () => {
    const outputs = deployed('examples/sources/template.yaml', 'sources');

    it('does what SQS, DynamoDB Streams, Kinesis, SNS and S3 bring', async () => {
      const table = outputs('ClaimsTableName');

      const reading = { sensorId: 's', takenAt: '2026-01-01T00:00:00Z', celsius: 21 };
      const QueueUrl = outputs('ReadingsQueueUrl');
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(reading) }));
      const Item = { orderId: 'o', chargeId: 'c', amountCents: 100, currency: 'EUR' };
      await DynamoDBDocumentClient.from(dynamoDB).send(
        new PutCommand({ TableName: outputs('ChargesTableName'), Item }),
      );
      await awsJsonCall(cloud.endpoint, 'kinesis', 'Kinesis_20131202.PutRecord', {
        StreamName: outputs('PageViewsStreamName'),
        PartitionKey: 'visitor',
        Data: Buffer.from(JSON.stringify({ viewId: 'v', page: '/' })).toString('base64'),
      });
      await publish(outputs('ShipmentsTopicArn'), { shipmentId: 's-1', carrier: 'c' });
      await fetch(`${cloud.endpoint}/${outputs('InvoicesBucketName')}/invoice.pdf`, {
        method: 'PUT',
        body: 'pdf',
      });

      const done = await until('each function has completed one claim', async () => {
        const claims = await readClaims(dynamoDB, table);
        const completed = claims.filter(({ status }) => status === 'COMPLETED');
        const functions = new Set(completed.map(({ key }) => key.split('-')[1]));
        return functions.size >= 5 && functions;
      });
      expect(done).toEqual(
        new Set([
          'InvoiceFilesFunction',
          'PageViewsFunction',
          'ReadingsFunction',
          'ReceiptsFunction',
          'ShipmentsFunction',
        ]),
      );
    });

    async function publish(TopicArn: string, message: object): Promise<void> {
      const form = { Action: 'Publish', Version: '2010-03-31', TopicArn, Message: JSON.stringify(message) };
      const response = await fetch(cloud.endpoint, {
        method: 'POST',
        headers: { authorization: 'AWS4-HMAC-SHA256 Credential=local/20240101/us-east-1/sns/aws4_request' },
        body: new URLSearchParams(form),
      });
      expect(response.status).toBe(200);
    }
  });

  /** Builds and deploys a template before the tests of a block; gives what finds the outputs of its stack. */
  function deployed(template: string, stack: string): (name: string) => string {
    let outputs: Readonly<Record<string, string>> = {};
    beforeAll(async () => {
      outputs = await deployToMinistack(cloud, await builtFunctions(template), stack);
    }, INSTALL_TIMEOUT_MS);
    return (name) => outputs[name] ?? '';
  }
});
