import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSender } from 'batchlatch/sender';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { fastClock } from '../support/fast-clock.ts';
import { notes } from './messages.ts';
import { scriptedTarget } from './scripted-target.ts';

const target = scriptedTarget();
const MESSAGE = 'No OpenIDConnect provider found in your account';

/** STS, which refuses the token of the process. */
const sts = createServer((request, response) => {
  request.resume().on('end', () => {
    const error = `<Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>${MESSAGE}</Message></Error>`;
    response.writeHead(400).end(`<ErrorResponse>${error}</ErrorResponse>`);
  });
});

describe('a sender whose credentials STS refuses', () => {
  const environment = process.env;
  beforeAll(async () => {
    const port = await listenLocally(sts);
    const { AWS_ACCESS_KEY_ID: _key, AWS_SECRET_ACCESS_KEY: _secret, ...others } = environment;
    process.env = {
      ...others,
      AWS_WEB_IDENTITY_TOKEN_FILE: import.meta.filename, // any text is a token
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/orders',
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${port}`,
    };
    // The SDK takes seconds to load on a busy machine, which are no part of a deadline below.
    const stop = new AbortController();
    const { queueUrl } = target;
    const first = createSender(notes, { queueUrl }).send('NoteTaken', { text: 'a' }, { signal: stop.signal });
    await Promise.all([
      once(sts, 'request').finally(() => stop.abort()),
      expect(first).rejects.toMatchObject({ isRetryable: true }),
    ]);
  });
  afterAll(() => {
    process.env = environment;
    sts.close();
  });

  it('fails a message that may be sent again: nothing is wrong with it', async () => {
    const sender = createSender(notes, { queueUrl: target.queueUrl }, { clock: fastClock(5) });
    await expect(sender.send('NoteTaken', { text: 'a' }, { deadlineMs: 10_000 })).rejects.toMatchObject({
      isUnknown: false,
      isRetryable: true,
      cause: { message: expect.stringContaining(MESSAGE) },
    });
  });

  it.each(['InvalidIdentityTokenException', 'IDPCommunicationErrorException', 'RegionDisabledException'])(
    'does the same through a given client: %s',
    async (name) => {
      const refusal = Object.assign(new Error(MESSAGE), { name, $metadata: { httpStatusCode: 400 } });
      const client = { sendMessageBatch: () => Promise.reject(refusal) };
      const { queueUrl } = target;
      const sender = createSender(notes, { queueUrl, client }, { clock: fastClock(20) });
      await expect(sender.send('NoteTaken', { text: 'a' }, { deadlineMs: 5_000 })).rejects.toMatchObject({
        isUnknown: false,
        isRetryable: true,
      });
    },
  );
});
