import { GetQueueUrlCommand, ListQueuesCommand, ListQueueTagsCommand, SQS } from '@aws-sdk/client-sqs';
import { expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { queueUrlOf } from '../../src/cli/connect/sqs.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';

const missing = Object.assign(new Error('no such queue'), { name: 'QueueDoesNotExist' });

it.each([
  ['http://127.0.0.1:9324', 'found'],
  ['https://sqs.eu-west-1.amazonaws.com', 'not looked for, where there may be very many queues'],
  [undefined, 'not looked for, where there may be very many queues'],
])('A queue with this logical id at %s is %s', async (endpoint, what) => {
  const sqs = new SQS({ ...emulatorClientConfig, ...(endpoint !== undefined && { endpoint }) });
  const calls = mockClient(sqs);
  const url = 'http://127.0.0.1:9324/000000000000/shop-orders';
  calls.on(GetQueueUrlCommand).rejects(missing);
  calls.on(ListQueuesCommand).resolves({ QueueUrls: [url] });
  calls.on(ListQueueTagsCommand).resolves({ Tags: { 'aws:cloudformation:logical-id': 'OrdersQueue' } });
  const found = queueUrlOf(sqs, 'OrdersQueue', new AbortController().signal);
  if (what === 'found') expect(await found).toBe(url);
  else {
    await expect(found).rejects.toBe(missing);
    expect(calls.commandCalls(ListQueuesCommand)).toHaveLength(0);
  }
  sqs.destroy();
});
