import { hash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createSender } from 'batchlatch/sender';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { emulatedQueues } from '../support/emulated-queues.ts';
import { notes, orders, placed } from './messages.ts';

const queues = emulatedQueues();

beforeAll(() => {
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
});

describe('a sender to a queue of fauxqs', () => {
  it('sends the body as given, with its type', async () => {
    const { queueUrl, receive } = await queues.create();
    await createSender(orders, { queueUrl }).send('OrderPlaced', { orderId: 'o1', tenantId: 't1' });
    const [record] = (await receive()).Records;
    expect(record?.body).toBe('{"orderId":"o1","tenantId":"t1"}');
    expect(record?.messageAttributes['type']?.stringValue).toBe('OrderPlaced');
    expect(record?.messageAttributes['version']).toBeUndefined();
  });

  it('sends to a FIFO queue, which drops the second copy of the same work', async () => {
    const { queueUrl, receive } = await queues.create({ fifo: true });
    const sender = createSender(orders, { queueUrl });
    const all = [placed('o1', 't1'), placed('o2', 't2'), placed('o1', 't3'), placed('o3', 't4')];
    expect(await sender.sendAll(all)).toEqual({ sent: all, failed: [], unknown: [] });
    const { Records } = await receive();
    expect(Records.map(({ body }) => (JSON.parse(body) as { orderId: string }).orderId).toSorted()).toEqual([
      'o1',
      'o2',
      'o3',
    ]);
    const [first] = Records;
    expect(first?.attributes.MessageDeduplicationId).toBe(first && hashOf(first.body));
  });

  it('sends through a given client', async () => {
    const { queueUrl, receive } = await queues.create();
    const client = new SQSClient({ ...emulatorClientConfig, endpoint: new URL(queueUrl).origin });
    await createSender(notes, { queueUrl, client }).send('NoteTaken', { text: 'ü' });
    const [record] = (await receive()).Records;
    expect(record?.body).toBe('{"text":"ü"}');
    client.destroy();
  });

  it('delays a message', async () => {
    const { queueUrl, receive } = await queues.create();
    await createSender(notes, { queueUrl }).send('NoteTaken', { text: 'later' }, { delayMs: 900_000 });
    expect((await receive()).Records).toEqual([]);
  });
});

function hashOf(body: string): string {
  const { orderId } = JSON.parse(body) as { orderId: string };
  const key = hash('sha256', `{"orderId":"${orderId}"}`);
  return hash('sha256', `OrderPlaced:${key}`);
}
