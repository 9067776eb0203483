import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { localHeaders } from '../../../src/dev/emulators/aws-probe.ts';
import { startDynamoDBEmulator, startGuardedDynamoDB } from '../../../src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../../src/dev/emulators/emulator-environment.ts';
import { startGuardingProxy } from '../../../src/dev/emulators/guarding-proxy.ts';
import { startKinesisEmulator } from '../../../src/dev/emulators/kinesis-emulator.ts';
import { listenLocally } from '../../../src/dev/emulators/listen-locally.ts';
import type { LocalService, StartOptions } from '../../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../../src/dev/emulators/sqs-emulator.ts';
import { localCall } from '../../../src/dev/services/local-call.ts';
import { type Answered, askExactly } from '../../../../../test/support/console-browser.ts';

const OPTIONS = { allowedHosts: ['host.docker.internal'] };
const DYNAMODB = 'DynamoDB_20120810.ListTables';

async function listTables(endpoint: string): Promise<unknown> {
  const client = new DynamoDBClient({ ...emulatorClientConfig, endpoint });
  const { TableNames } = await client.send(new ListTablesCommand({}));
  client.destroy();
  return TableNames;
}

async function listQueues(endpoint: string): Promise<unknown> {
  const client = new SQSClient({ ...emulatorClientConfig, endpoint });
  const { $metadata } = await client.send(new ListQueuesCommand({}));
  client.destroy();
  return $metadata.httpStatusCode === 200 ? [] : undefined;
}

async function listStreams(endpoint: string): Promise<unknown> {
  return (await localCall(endpoint, 'Kinesis_20131202.ListStreams', {}))['StreamNames'];
}

describe.each<
  [string, (options: StartOptions) => Promise<LocalService>, string, (endpoint: string) => Promise<unknown>]
>([
  ['DynamoDB', startGuardedDynamoDB, DYNAMODB, listTables],
  ['dynalite', (options) => startDynamoDBEmulator('dynalite', options), DYNAMODB, listTables],
  ['SQS', startSqsEmulator, 'AmazonSQS.ListQueues', listQueues],
  ['Kinesis', startKinesisEmulator, 'Kinesis_20131202.ListStreams', listStreams],
])('the emulator of %s', (_name, start, target, list) => {
  let service: LocalService;
  beforeAll(async () => {
    service = await start(OPTIONS);
  });
  afterAll(() => service.stop());

  const ask = (headers: Readonly<Record<string, string>>): Promise<Answered> =>
    askExactly(service.endpoint, {
      method: 'POST',
      headers: { ...localHeaders(target), ...headers },
      body: '{}',
    });

  it('answers programs', async () => {
    expect(await list(service.endpoint)).toEqual([]);
  });

  it.each([
    ['a fetch of a web page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a form of a web page', { origin: 'null', 'content-type': 'text/plain' }],
    ['a page of another port', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['a page whose name resolves here', { host: 'evil.example:80', 'sec-fetch-site': 'same-origin' }],
  ])('refuses %s', async (_what, headers) => {
    const { status, headers: answered } = await ask(headers);
    expect([status, answered['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('refuses a preflight', async () => {
    const { status, headers } = await askExactly(service.endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-amz-target,authorization',
      },
    });
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers by a name that the user gave', async () => {
    expect((await ask({ host: 'host.docker.internal:1' })).status).toBe(200);
  });
});

describe('the proxy in front of an emulator', () => {
  const sockets = new Set<unknown>();
  const never = new EventEmitter();
  let last: readonly unknown[] = [];
  let behind: Server;
  let proxy: LocalService;
  beforeAll(async () => {
    behind = createServer((asked, response) => {
      sockets.add(asked.socket);
      if (asked.url === '/breaks') {
        asked.socket.destroy();
        return;
      }
      if (asked.url === '/never') {
        never.emit('asked');
        response.once('close', () => never.emit('gone'));
        return;
      }
      if (asked.url === '/echo') {
        asked.pipe(response);
        return;
      }
      let body = '';
      asked.on('data', (chunk: Buffer) => (body += chunk.toString()));
      asked.on('end', () => {
        last = [asked.method, asked.url];
        response.writeHead(201, { 'x-given': 'yes' }).end(`got ${body.length}`);
      });
    });
    const port = await listenLocally(behind);
    proxy = await startGuardingProxy('test', { host: '127.0.0.1', port }, {});
  });
  afterAll(async () => {
    await proxy.stop();
    behind.closeAllConnections();
    behind.close();
  });

  it('passes requests and answers on as they are', async () => {
    const answer = await fetch(`${proxy.endpoint}/a/b?c=d`, { method: 'PUT', body: 'x'.repeat(300_000) });
    expect([answer.status, answer.headers.get('x-given'), await answer.text()]).toEqual([
      201,
      'yes',
      'got 300000',
    ]);
    expect(last).toEqual(['PUT', '/a/b?c=d']);
  });

  it('keeps connections on both sides', async () => {
    sockets.clear();
    for (let count = 0; count < 5; count += 1) await (await fetch(proxy.endpoint)).text();
    expect(sockets.size).toBe(1);
  });

  it('passes on what has come before the rest does', async () => {
    const sending = request(`${proxy.endpoint}/echo`, { method: 'POST' });
    sending.write('first');
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    const parts = answer.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
    expect((await parts.next()).value).toBe('first');
    sending.end('second');
    expect((await parts.next()).value).toBe('second');
  });

  it('ends a request whose caller is gone', async () => {
    const leaving = new AbortController();
    const [asked, gone] = [once(never, 'asked'), once(never, 'gone')];
    const answer = fetch(`${proxy.endpoint}/never`, { signal: leaving.signal }).catch(() => 'gone');
    await asked;
    leaving.abort();
    expect(await answer).toBe('gone');
    await gone;
  });

  it('breaks off where the emulator does', async () => {
    await expect(fetch(`${proxy.endpoint}/breaks`)).rejects.toThrow();
    expect((await fetch(proxy.endpoint)).status).toBe(201);
  });

  it('says that its port is taken', async () => {
    const port = Number(new URL(proxy.endpoint).port);
    await expect(startGuardingProxy('test', { host: '127.0.0.1', port: 1 }, { port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
