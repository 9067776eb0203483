import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { manualClock } from 'batchlatch/testing';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { transportFromEnvironment } from '../../src/stores/dynamodb/transport-from-environment.ts';
import type { Transport } from '../../src/stores/dynamodb/transport.ts';
import { claimRequests } from '../support/claim-builders.ts';
import { until } from '../support/until.ts';

const before = { ...process.env };
const servers: Server[] = [];
/** Whose key each request to DynamoDB was signed with, and what sent it. */
let signers: string[];
let agents: string[];

beforeEach(async () => {
  signers = [];
  agents = [];
  for (const name of Object.keys(process.env)) if (/^AWS_|PROXY$/i.test(name)) delete process.env[name];
  Object.assign(process.env, {
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_DYNAMODB: await serve(({ headers }) => {
      signers.push(/Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '');
      agents.push(headers['user-agent']?.includes('aws-sdk-js') === true ? 'sdk' : 'direct');
      return '{}';
    }),
  });
});

afterEach(async () => {
  jest.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  }
});

const HANG_UP = Symbol('hang up');

/** A server that answers each request with a text, with nothing at all, or by closing the connection. */
async function serve(
  answer: (request: IncomingMessage) => Promise<string> | string | typeof HANG_UP | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', async () => {
      const text = await answer(request);
      if (text === HANG_UP) response.destroy();
      else if (text !== undefined) response.end(text);
    });
  });
  servers.push(server);
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

function newTransport(clock: Clock = systemClock): Transport {
  return transportFromEnvironment({ clock, random: Math.random });
}

async function send(transport: Transport, times = 1): Promise<void> {
  for (let sent = 0; sent < times; sent += 1) {
    await transport.send('GetItem', { TableName: 'claims', Key: { id: { S: 'a' } } });
  }
}

function setKey(accessKeyId: string): void {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: 'a-secret' });
}

/** What is logged from now on, without its times. */
function loggedLines(level = ''): () => object[] {
  process.env['BATCHLATCH_LOG_LEVEL'] = level;
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () =>
    write.mock.calls.map(([text]) => {
      const { timestamp, ...line } = JSON.parse(String(text)) as { timestamp: string };
      expect(timestamp).toMatch(/^\d{4}-.*Z$/);
      return line;
    });
}

describe('Requests without a client', () => {
  it('are direct where the environment is plain, with the key that is there at each sending', async () => {
    setKey('first');
    const transport = newTransport();
    await send(transport, 2);
    setKey('second');
    await send(transport);
    expect(signers).toEqual(['first', 'first', 'second']);
    expect(agents).toEqual(['direct', 'direct', 'direct']);
  });

  it('go through the SDK where it is not, and the log says once which setting made it so', async () => {
    setKey('key');
    const lines = loggedLines();
    process.env['AWS_RETRY_MODE'] = 'adaptive';
    await send(newTransport());
    await send(newTransport());
    delete process.env['AWS_RETRY_MODE'];
    process.env['AWS_DISABLE_CLOCK_SKEW_CORRECTION'] = 'true';
    await send(newTransport());
    expect(agents).toEqual(['sdk', 'sdk', 'sdk']);
    const line = { level: 'info', message: 'throughSdk', service: 'DynamoDB' };
    expect(lines()).toEqual([
      { ...line, reason: "AWS_RETRY_MODE has a value that only AWS's SDK supports" },
      { ...line, reason: "AWS_DISABLE_CLOCK_SKEW_CORRECTION has a value that only AWS's SDK supports" },
    ]);
  });

  it.each(['warn', 'silent'])('that go through the SDK are not logged at level %s', async (level) => {
    setKey('key');
    const lines = loggedLines(level);
    process.env['AWS_ACCOUNT_ID_ENDPOINT_MODE'] = 'required';
    await send(newTransport()).catch(() => undefined); // the key is of no account
    expect(lines()).toEqual([]);
  });

  it('are not sent again by the SDK when nobody waits for them any more, but are when somebody does anew', async () => {
    setKey('key');
    const controller = new AbortController();
    let arrivals = 0;
    process.env['AWS_RETRY_MODE'] = 'adaptive';
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = await serve(() => {
      arrivals += 1;
      if (arrivals > 1) return '{}';
      controller.abort();
      return HANG_UP;
    });
    const transport = newTransport();
    const input = { TableName: 'claims', Key: { id: { S: 'a' } } };
    await expect(transport.send('GetItem', input, controller.signal)).rejects.toThrow();
    await expect(transport.send('GetItem', input, controller.signal)).rejects.toThrow('given up');
    expect(arrivals).toBe(1);
    await transport.send('GetItem', input);
    expect(arrivals).toBe(2);
  });

  it('are decided upon with the first of them, for good', async () => {
    const transport = newTransport();
    process.env['AWS_RETRY_MODE'] = 'adaptive';
    setKey('key');
    delete process.env['AWS_RETRY_MODE'];
    await Promise.all([send(transport), send(transport)]);
    process.env['AWS_RETRY_MODE'] = 'adaptive';
    await send(transport);
    expect(agents).toEqual(['direct', 'direct', 'direct']);
  });

  it('are decided upon anew where that failed', async () => {
    setKey('key');
    const transport = newTransport();
    const environment = process.env;
    process.env = new Proxy(environment, {
      get: () => {
        throw new Error('no environment');
      },
    });
    const failed = Promise.allSettled([transport.send('GetItem', { TableName: 't', Key: {} })]);
    expect(await failed).toMatchObject([{ status: 'rejected' }]);
    process.env = environment;
    expect(await transport.send('GetItem', { TableName: 't', Key: {} })).toEqual({});
  });

  it('are refused with a code when the key has gone', async () => {
    setKey('key');
    const store = dynamoDBStore({ tableName: 'claims', writes: 'single' });
    await store.inspect('a');
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    const [outcome] = await store.acquire(claimRequests(1));
    expect(outcome).toMatchObject({
      status: 'error',
      error: {
        code: 'BATCHLATCH_CREDENTIALS',
        message: expect.stringContaining('no longer set'),
      },
    });
    expect(signers).toEqual(['key']);
  });
});

describe('In Lambda, the connection of the first request', () => {
  /** Returns how many connections were opened before the first request, once there are so many, and in all. */
  async function opened(
    more: Readonly<Record<string, string>>,
    expected: number,
  ): Promise<[inInit: number, inAll: number]> {
    setKey('key');
    let connections = 0;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = await serve(() => '{}');
    servers.at(-1)?.on('connection', () => (connections += 1));
    Object.assign(process.env, { AWS_LAMBDA_FUNCTION_NAME: 'orders', ...more });
    const transport = newTransport();
    if (expected > 0) await until('they are open', () => connections === expected);
    else await delay(100);
    const inInit = connections;
    await send(transport, 2);
    return [inInit, connections];
  }

  it('is opened in INIT', async () => {
    expect(await opened({ AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' }, 1)).toEqual([1, 1]);
  });

  it.each(['provisioned-concurrency', 'snap-start', ''])('is not, with the type %p', async (type) => {
    expect(await opened({ AWS_LAMBDA_INITIALIZATION_TYPE: type }, 0)).toEqual([0, 1]);
  });

  it('is not opened beside that of a request that has come already', async () => {
    setKey('key');
    let connections = 0;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = await serve(() => '{}');
    servers.at(-1)?.on('connection', () => (connections += 1));
    const lambda = { AWS_LAMBDA_FUNCTION_NAME: 'orders', AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
    Object.assign(process.env, lambda);
    await send(newTransport());
    await delay(100);
    expect(connections).toBe(1);
  });

  it('is not used where the environment names another server by then', async () => {
    const on = { AWS_LAMBDA_FUNCTION_NAME: 'orders', AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
    setKey('key');
    Object.assign(process.env, on);
    const transport = newTransport();
    await delay(100);
    let asked = 0;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = await serve(() => {
      asked += 1;
      return '{}';
    });
    await send(transport);
    expect([asked, signers]).toEqual([1, []]);
  });
});

describe('Credentials that are not in the environment', () => {
  const silent: (() => void)[] = [];
  afterEach(() => {
    for (const end of silent.splice(0)) end();
  });

  /** A container's endpoint, whose credentials are valid for so long, or which does not answer. Gives how often it was asked. */
  async function container(...minutes: readonly (number | 'silent')[]): Promise<() => number> {
    let asked = 0;
    process.env['AWS_CONTAINER_AUTHORIZATION_TOKEN'] = 'container-token';
    process.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = await serve(({ headers }) => {
      expect(headers.authorization).toBe('container-token');
      const valid = minutes[asked] ?? 60;
      asked += 1;
      const answer = JSON.stringify({
        AccessKeyId: `container-${asked}`,
        SecretAccessKey: 'a-secret',
        Token: 'a-token',
        Expiration: new Date(Date.now() + (valid === 'silent' ? 60 : valid) * 60_000).toISOString(),
      });
      // At the end of the test after all: the SDK would go on asking a container that is gone.
      return valid === 'silent' ? new Promise((resolve) => silent.push(() => resolve(answer))) : answer;
    });
    return () => asked;
  }

  it('are asked for once, and not at each request, nor for each of many at a time', async () => {
    const asked = await container();
    const transport = newTransport();
    await Promise.all([send(transport, 5), send(transport, 5)]);
    expect(asked()).toBe(1);
    expect(new Set(signers)).toEqual(new Set(['container-1']));
    expect(new Set(agents)).toEqual(new Set(['direct']));
  });

  it.each(['direct', 'sdk'])(
    'of a container that does not answer once are asked for again: %s',
    async (by) => {
      if (by === 'sdk') process.env['AWS_RETRY_MODE'] = 'adaptive';
      const asked = await container('silent', 60);
      const clock = manualClock(Date.now());
      const transport = newTransport(clock);
      const sending = Promise.all([send(transport), send(transport)]);
      await until('the container was asked', () => asked() === 1);
      await clock.advance(4_000);
      await sending;
      await send(transport);
      expect([asked(), new Set(signers), new Set(agents)]).toEqual([
        2,
        new Set(['container-2']),
        new Set([by]),
      ]);
    },
  );

  it('of a container that does not answer when they are to be renewed are used until they expire', async () => {
    const asked = await container(4, 'silent', 'silent', 60);
    const clock = manualClock(Date.now());
    const transport = newTransport(clock);
    await send(transport, 2);
    await until('they are to be renewed', () => asked() === 2);
    await clock.advance(4_000);
    await until('the renewal is tried again', () => asked() === 3);
    await clock.advance(4_000);
    await send(transport);
    expect(signers).toEqual(['container-1', 'container-1', 'container-1']);
    await clock.advance(4 * 60_000);
    await send(transport);
    expect(signers.at(-1)).toBe('container-4');
  });

  it('of an instance whose metadata service does not answer at first are asked for again', async () => {
    delete process.env['AWS_EC2_METADATA_DISABLED'];
    const paths: string[] = [];
    process.env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] = await serve(({ url = '' }) => {
      paths.push(url);
      if (paths.length <= 2) return undefined; // the token, and then the role without one
      if (url.endsWith('/token')) return 'a-metadata-token';
      if (url.endsWith('/security-credentials/')) return 'orders-role';
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      return JSON.stringify({ AccessKeyId: 'instance', SecretAccessKey: 'x', Token: 't', Expiration });
    });
    await send(newTransport(), 2);
    expect(signers).toEqual(['instance', 'instance']);
    expect(paths).toHaveLength(5);
  });

  it('are renewed before they expire, while requests go on with the old ones', async () => {
    const asked = await container(4);
    const transport = newTransport();
    await send(transport);
    while (signers.at(-1) !== 'container-2') await send(transport);
    await send(transport, 5);
    expect(asked()).toBe(2);
    expect(signers.slice(-6)).toEqual(Array(6).fill('container-2'));
    expect(signers[0]).toBe('container-1');
  });

  it('are never used once they have expired', async () => {
    const asked = await container(-1, -1);
    await send(newTransport(), 2);
    expect(asked()).toBeGreaterThan(1);
    expect(signers.at(-1)).not.toBe('container-1');
  });

  it('are found by web identity', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'web-identity-'));
    const token = path.join(folder, 'token');
    await writeFile(token, 'a-token');
    const expiration = new Date(Date.now() + 3_600_000).toISOString();
    Object.assign(process.env, {
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/orders',
      AWS_ENDPOINT_URL_STS: await serve(
        () => `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
          <AccessKeyId>web-identity</AccessKeyId><SecretAccessKey>a-secret</SecretAccessKey>
          <SessionToken>a-token</SessionToken><Expiration>${expiration}</Expiration>
          </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      ),
    });
    await send(newTransport());
    await rm(folder, { recursive: true });
    expect([signers, agents]).toEqual([['web-identity'], ['direct']]);
  });

  it('are not waited for without an end', async () => {
    Object.assign(process.env, {
      AWS_WEB_IDENTITY_TOKEN_FILE: import.meta.filename, // any text is a token
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/orders',
      AWS_ENDPOINT_URL_STS: await serve(() => undefined),
    });
    const clock = manualClock();
    const store = dynamoDBStore({ tableName: 'claims', clock });
    for (let request = 1; request <= 2; request += 1) {
      const asking = store.acquire(claimRequests(1));
      await new Promise((resolve) => void setTimeout(resolve, 100)); // until it asks
      await clock.advance(10_000);
      expect(await asking).toMatchObject([{ status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT' } }]);
    }
  });

  it('are an error with a code when there are none, and are looked for again', async () => {
    const store = dynamoDBStore({ tableName: 'claims' });
    expect(await store.acquire(claimRequests(1))).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_CREDENTIALS' } },
    ]);
    await container();
    await store.inspect('a');
    expect(signers).toEqual(['container-1']);
  });
});
