import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { localHeaders } from '../../../src/dev/emulators/aws-probe.ts';
import { emulatorClientConfig } from '../../../src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../../src/dev/emulators/sqs-emulator.ts';
import { localCall } from '../../../src/dev/services/local-call.ts';
import { askExactly } from '../../../../../test/support/console-browser.ts';

describe('the URL of a queue of the emulator', () => {
  let service: LocalService;
  beforeAll(async () => {
    service = await startSqsEmulator();
  });
  afterAll(() => service.stop());

  it.each(['us-east-1', 'eu-west-1'])('needs no name service, in %s', async (region) => {
    const sqs = new SQSClient({ ...emulatorClientConfig, region, endpoint: service.endpoint });
    const { QueueUrl: created } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect(created).toBe(`${service.endpoint}/000000000000/orders`);
    expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'orders' }))).QueueUrl).toBe(created);
    expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toContain(created);
    // A text that looks like one is left alone.
    const MessageBody = `http://sqs.${region}.localhost:1/000000000000/orders`;
    await sqs.send(new SendMessageCommand({ QueueUrl: created, MessageBody }));
    const { Messages: messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: created }));
    expect(messages?.map(({ Body }) => Body)).toEqual([MessageBody]);
    sqs.destroy();
  });

  it.each(['http://sqs.us-east-1.localhost:1', 'http://localhost:2', 'https://sqs.us-east-1.amazonaws.com'])(
    'may begin with %s',
    async (host) => {
      const sqs = new SQSClient({
        ...emulatorClientConfig,
        endpoint: service.endpoint,
        useQueueUrlAsEndpoint: false,
      });
      await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
      const QueueUrl = `${host}/000000000000/orders`;
      const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
      expect(MessageId).toBeDefined();
      sqs.destroy();
    },
  );

  it('has the port by which it was asked for, which may be a forwarded one', async () => {
    const asked = async (host: string, target: string, input: object): Promise<unknown> => {
      const headers = { ...localHeaders(target), host };
      const { text } = await askExactly(service.endpoint, {
        method: 'POST',
        headers,
        body: JSON.stringify(input),
      });
      return (JSON.parse(text) as { readonly QueueUrl?: unknown }).QueueUrl;
    };
    const created = await asked('localhost:9', 'AmazonSQS.CreateQueue', { QueueName: 'forwarded' });
    expect(created).toBe('http://localhost:9/000000000000/forwarded');
    const { host } = new URL(service.endpoint);
    expect(await asked(host, 'AmazonSQS.GetQueueUrl', { QueueName: 'forwarded' })).toBe(
      `${service.endpoint}/000000000000/forwarded`,
    );
    const { MessageId: sent } = await localCall(service.endpoint, 'AmazonSQS.SendMessage', {
      QueueUrl: created,
      MessageBody: 'x',
    });
    expect(sent).toBeDefined();
  });

  it('has the host by which it was asked for', async () => {
    const { port } = new URL(service.endpoint);
    const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: `http://localhost:${port}` });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect(QueueUrl).toBe(`http://localhost:${port}/000000000000/orders`);
    sqs.destroy();
  });
});
