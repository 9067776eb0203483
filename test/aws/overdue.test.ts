import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { directSender } from '../../src/aws/direct-sender.ts';
import { systemClock } from '../../src/base/clock.ts';
import { SQS } from '../../src/worker/direct-send.ts';

test('a request that is never answered names its own limit, and not what was left of it for the last sending', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const setup = {
    endpoint: { url, region: 'us-east-1' },
    credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
    maxAttempts: 3,
    userAgent: 'test',
    clock: systemClock,
    random: () => 0,
  };
  const limits = { requestMs: 800, silentMs: 300, connectMs: 300, sockets: 1, answerBytes: 1_000 };
  const sending = directSender(SQS, setup, limits)('GetQueueAttributes', {});
  await expect(sending).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'SQS did not answer within 0.8 seconds',
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
