import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { createWorker, type Worker, type WorkerState } from 'batchlatch/worker';
import { systemClock } from '../../src/base/clock.ts';
import { Stop } from '../../src/base/stop.ts';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { sendFromEnvironment } from '../../src/worker/send-from-environment.ts';
import { emulatedQueues } from '../support/emulated-queues.ts';
import { until } from '../support/until.ts';

const before = { ...process.env };
const servers: Server[] = [];
const workers: Worker[] = [];
/** Of each request: `key@region`, and what sent it. */
let signers: string[];
let agents: string[];
let queueUrl: string;

beforeEach(async () => {
  signers = [];
  agents = [];
  for (const name of Object.keys(process.env)) if (/^AWS_|PROXY$/i.test(name)) delete process.env[name];
  Object.assign(process.env, {
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'us-east-1',
  });
  queueUrl = await queueServer(() => '{}');
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  }
});

type Answer = (request: IncomingMessage, response: ServerResponse) => string;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end(answer(request, response)));
  });
  servers.push(server);
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

async function queueServer(answer: Answer): Promise<string> {
  const origin = await serve((request, response) => {
    const [, key, region] =
      /Credential=([^/]+)\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '') ?? [];
    signers.push(`${key}@${region}`);
    agents.push(request.headers['user-agent']?.includes('aws-sdk-js') === true ? 'sdk' : 'direct');
    return answer(request, response);
  });
  return `${origin}/123456789012/orders`;
}

/** A container's endpoint for credentials, which are valid for so long; more when they are asked for again. */
async function container(...minutes: readonly number[]): Promise<void> {
  let asked = 0;
  process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = await serve(() => {
    const validFor = (minutes[asked] ?? 60) * 60_000;
    asked += 1;
    return JSON.stringify({
      AccessKeyId: `container-${asked}`,
      SecretAccessKey: 'a-secret',
      Token: 'a-token',
      Expiration: new Date(Date.now() + validFor).toISOString(),
    });
  });
}

function setKey(accessKeyId: string): void {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: 'a-secret' });
}

function newSend() {
  const send = sendFromEnvironment(queueUrl, { clock: systemClock, random: Math.random });
  return (operation: 'DeleteMessageBatch' | 'ReceiveMessage' = 'DeleteMessageBatch') =>
    send(operation, { QueueUrl: queueUrl, Entries: [] }, new Stop());
}

function newWorker(): Worker {
  const worker = createWorker({ queueUrl, handler: async () => undefined, waitTimeSeconds: 1 });
  workers.push(worker);
  return worker;
}

const ATTRIBUTES = JSON.stringify({
  Attributes: { QueueArn: 'arn:aws:sqs:us-east-1:123456789012:orders', VisibilityTimeout: '30' },
});

function refusal(response: ServerResponse, name: string): string {
  response.statusCode = 400;
  return JSON.stringify({ __type: `com.amazonaws.sqs#${name}`, message: 'No' });
}

describe('Without a client requests to SQS', () => {
  it('go to the queue, with the key that the environment has then', async () => {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:9',
    });
    setKey('first');
    const send = newSend();
    await send();
    setKey('second');
    await send();
    await send('ReceiveMessage');
    expect(signers).toEqual(['first@us-east-1', 'second@us-east-1', 'second@us-east-1']);
    expect(new Set(agents)).toEqual(new Set(['direct']));
  });

  it.each([
    [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-1'],
    [{ AWS_REGION: 'eu-west-2', AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-2'],
  ])('are signed for the region of %j', async (more, region) => {
    setKey('key');
    Object.assign(process.env, more);
    await newSend()();
    expect(signers).toEqual([`key@${region}`]);
  });

  it('say what to set where nothing names a region', async () => {
    setKey('key');
    delete process.env['AWS_REGION'];
    const send = newSend();
    await expect(send()).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
      message: expect.stringContaining('set AWS_REGION'),
    });
    process.env['AWS_REGION'] = 'eu-west-1';
    await send();
    expect(signers).toEqual(['key@eu-west-1']);
  });

  it('have the credentials and the region of a profile', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'profile-'));
    const file = path.join(folder, 'config');
    await writeFile(
      file,
      '[profile dev]\nregion = eu-north-1\naws_access_key_id = dev\naws_secret_access_key = x\n',
    );
    delete process.env['AWS_REGION'];
    Object.assign(process.env, { AWS_CONFIG_FILE: file, AWS_PROFILE: 'dev' });
    await newSend()();
    await rm(folder, { recursive: true });
    expect([signers, agents]).toEqual([['dev@eu-north-1'], ['direct']]);
  });

  it('renew the credentials of a container before they expire', async () => {
    await container(4);
    const send = newSend();
    await Promise.all([send(), send()]);
    expect(new Set(signers)).toEqual(new Set(['container-1@us-east-1']));
    await until('other credentials are there', async () => {
      await send();
      return signers.at(-1) === 'container-2@us-east-1';
    });
    await Promise.all([send(), send()]);
    expect(signers.slice(-3)).toEqual(Array(3).fill('container-2@us-east-1'));
    expect(new Set(agents)).toEqual(new Set(['direct']));
  });

  it.each([
    ['sent again to a FIFO queue, which gives the same messages', { ReceiveRequestAttemptId: 'a' }, 2],
    ['not sent again to any other', {}, 1],
  ])('for messages are, where the answer is lost, %s', async (_what, more, times) => {
    setKey('key');
    const bodies: string[] = [];
    queueUrl = await queueServer((request, response) => {
      bodies.push(String(request.headers['x-amz-target']));
      if (bodies.length === 1) response.destroy();
      return '{"Messages":[]}';
    });
    const send = sendFromEnvironment(queueUrl, { clock: systemClock, random: Math.random });
    const receiving = send('ReceiveMessage', { QueueUrl: queueUrl, ...more }, new Stop());
    const [{ status }] = await Promise.allSettled([receiving]);
    expect(status).toBe(times === 1 ? 'rejected' : 'fulfilled');
    expect(bodies).toHaveLength(times);
  });

  it.each([
    ['directly', {}],
    ["through AWS's SDK", { AWS_RETRY_MODE: 'adaptive' }],
  ])('%s are on their way at the same time, whatever the number of receives', async (_how, setting) => {
    setKey('key');
    Object.assign(process.env, setting);
    const held: ServerResponse[] = [];
    const server = createServer((_request, response) => void held.push(response));
    servers.push(server);
    queueUrl = `http://127.0.0.1:${await listenLocally(server)}/123456789012/orders`;
    const send = newSend();
    const receives = Array.from({ length: 110 }, () => send('ReceiveMessage'));
    await until('all have arrived', () => held.length === 110);
    const deletion = send('DeleteMessageBatch');
    await until('it has arrived too', () => held.length === 111);
    for (const response of held) response.end('{}');
    await Promise.all([...receives, deletion]);
  });

  it("go through AWS's SDK where the environment asks for what only it can do", async () => {
    setKey('key');
    Object.assign(process.env, {
      AWS_RETRY_MODE: 'adaptive',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    });
    process.env['BATCHLATCH_LOG_LEVEL'] = 'info';
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    await newSend()();
    await newSend()();
    const lines = write.mock.calls.map(([text]) => JSON.parse(String(text)) as object);
    write.mockRestore();
    expect([signers, agents]).toEqual([Array(2).fill('key@us-east-1'), ['sdk', 'sdk']]);
    expect(lines).toEqual([
      {
        timestamp: expect.any(String),
        level: 'info',
        message: 'throughSdk',
        service: 'SQS',
        reason: "AWS_RETRY_MODE has a value that only AWS's SDK supports",
      },
    ]);
  });
});

describe('A worker without a client', () => {
  const queues = emulatedQueues();

  it('works a queue', async () => {
    setKey('local');
    const queue = await queues.create({ fifo: true });
    const seen: unknown[] = [];
    for (let index = 0; index < 12; index += 1) {
      await queue.send({ index }, { group: `g${index % 3}`, attributes: { tenant: 'a' } });
    }
    const worker = createWorker({
      queueUrl: queue.queueUrl,
      waitTimeSeconds: 1,
      handler: createBatchProcessor(({ id }) => void seen.push(id), {
        store: memoryStore(),
        observer: { onEvent: () => undefined },
      }),
    });
    workers.push(worker);
    await worker.start();
    await until('all is deleted', () => worker.counters.deleted === 12);
    await worker.stop();
    expect(seen).toHaveLength(12);
  });

  it('does not start where the queue does not exist, or without credentials', async () => {
    setKey('local');
    const { queueUrl: there } = await queues.create();
    queueUrl = `${there}-not`;
    const worker = newWorker();
    await expect(worker.start()).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    expect(worker.state).toBe('stopped');
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    await expect(newWorker().start()).rejects.toMatchObject({ name: 'CredentialsProviderError' });
  });

  it('holds messages back where no claim store is configured, for else all would become dead letters', async () => {
    setKey('local');
    const queue = await queues.create();
    for (let index = 0; index < 100; index += 1) await queue.send({ index });
    const worker = createWorker({
      queueUrl: queue.queueUrl,
      waitTimeSeconds: 1,
      handler: createBatchProcessor(() => undefined, { observer: { onEvent: () => undefined } }),
      receivers: 1,
    });
    workers.push(worker);
    const failures: unknown[] = [];
    worker.on('handlerFailed', (error) => void failures.push(error));
    await worker.start();
    await until('it knows', () => worker.down.includes('claim-store'));
    expect(worker.counters.received).toBeLessThan(100);
    expect(failures[0]).toMatchObject({ message: expect.stringContaining('set CLAIMS_TABLE_NAME') });
  });

  it('waits longer and longer while credentials are refused or gone, and goes on when there are others', async () => {
    let isAccepted = false;
    queueUrl = await queueServer(({ headers }, response) => {
      if (String(headers['x-amz-target']).endsWith('GetQueueAttributes')) return ATTRIBUTES;
      return isAccepted ? '{"Messages":[]}' : refusal(response, 'ExpiredToken');
    });
    setKey('old');
    const worker = newWorker();
    const states: WorkerState[] = [];
    const failures: { name: string; nextInMs: number }[] = [];
    worker.on('state', (state) => void states.push(state));
    worker.on('receiveFailed', ({ error, nextInMs }) => void failures.push({ name: error.name, nextInMs }));
    await worker.start();
    await until('two receives failed', () => failures.length >= 2);
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    await until('there are no credentials', () => failures.at(-1)?.name === 'CredentialsProviderError');
    expect(failures[0]?.name).toBe('ExpiredToken');
    expect(worker.counters.receiveErrors).toBe(failures.length);
    isAccepted = true;
    setKey('new');
    await until('it receives', () => signers.at(-1) === 'new@us-east-1');
    const { receiveErrors } = worker.counters;
    await until('it goes on', () => signers.filter((signer) => signer === 'new@us-east-1').length > 3);
    expect(worker.counters.receiveErrors).toBe(receiveErrors);
    expect(states).toEqual(['running']);
  });
});
