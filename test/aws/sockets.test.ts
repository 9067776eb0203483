import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { connectionsTo } from '../../src/aws/connect.ts';
import type { OpenedAhead } from '../../src/aws/connections.ts';
import { AnswerReader } from '../../src/aws/read-answer.ts';
import { LIMITS } from '../../src/stores/dynamodb/direct-transport.ts';
import { direct, errorOf, getItem } from '../support/direct-transport.ts';
import { until } from '../support/until.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"Item":{}}';
const CLOSING = OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4;by=proxy\r\n{"It\r\n7\r\nem":{}}\r\n0\r\nlate: 1\r\n\r\n';
const ITEM = { Item: {} };

describe('Sockets of the direct transport', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  /** A server that says the nth text to the nth request, and the last to all later ones. */
  async function saying(
    ...texts: readonly (string | ((socket: Socket) => void))[]
  ): Promise<{ endpoint: string; requests: string[] }> {
    const requests: string[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.on('data', (data) => {
        const answer = texts[Math.min(requests.length, texts.length - 1)] ?? '';
        requests.push(data.toString());
        if (typeof answer === 'string') socket.write(answer);
        else answer(socket);
      });
    });
    servers.push(server);
    return { endpoint: await listening(server), requests };
  }

  async function listening(server: Server, host = '127.0.0.1'): Promise<string> {
    server.listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  it('send one text with the head and the body, and read an answer in chunks', async () => {
    const { endpoint, requests } = await saying(CHUNKED, OK);
    const transport = direct(endpoint);
    expect([await getItem(transport), await getItem(transport)]).toEqual([ITEM, ITEM]);
    expect(requests).toHaveLength(2);
    expect(sockets).toHaveLength(1);
    expect(requests[0]).toMatch(
      /^POST \/ HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n[^]+\r\n\r\n\{"TableName":"claims"/,
    );
  });

  it('read their own answers if these arrive in parts at the same time', async () => {
    const waiting: Socket[] = [];
    const { endpoint } = await saying((socket) => void waiting.push(socket));
    const transport = direct(endpoint);
    const answers = Promise.all([getItem(transport), getItem(transport)]);
    await until('both have asked', () => waiting.length === 2);
    const texts = ['a', 'b'].map((id) => {
      const body = JSON.stringify({ Item: { id } });
      return `HTTP/1.1 200 OK\r\nx-of: ${id}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    });
    for (const parts of [[0, 30], [30, -8], [-8]]) {
      for (const [index, socket] of waiting.entries()) {
        socket.write((texts[index] as string).slice(...parts));
        await delay(20); // else the next part may arrive with this one
      }
    }
    expect(await answers).toEqual([{ Item: { id: 'a' } }, { Item: { id: 'b' } }]);
  });

  it('pass over what comes before the answer', async () => {
    const { endpoint, requests } = await saying(
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`,
    );
    expect(await getItem(direct(endpoint))).toEqual(ITEM);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['says that it closes', CLOSING],
    ['says so among other things', CLOSING.replace('close', 'Upgrade, close')],
    ['says so in a line of its own', CLOSING.replace('close', 'Upgrade\r\nConnection: close')],
    ['speaks HTTP/1.0', OK.replace('1.1', '1.0')],
    ['says more than was asked for', `${OK}HTTP/1.1 200 OK`],
    [
      'keeps a connection no longer than a second',
      OK.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=1\r\n\r\n'),
    ],
  ])('are not used again where the server %s', async (_what, text) => {
    const { endpoint, requests } = await saying(text);
    const transport = direct(endpoint);
    expect([await getItem(transport), await getItem(transport)]).toEqual([ITEM, ITEM]);
    expect(requests).toHaveLength(2);
    expect(sockets).toHaveLength(2);
  });

  it('are not used again once the server has ended its half, or has spoken unasked', async () => {
    const { endpoint, requests } = await saying(OK);
    const transport = direct(endpoint);
    for (const disturb of [
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.write('HTTP/1.1 408 Too late\r\n\r\n'),
    ]) {
      await getItem(transport);
      const last = sockets.at(-1) as Socket;
      disturb(last);
      await until('the connection is closed', () => last.destroyed);
    }
    await getItem(transport);
    expect(requests).toHaveLength(3);
    expect(sockets).toHaveLength(3);
  });

  it.each([
    ['of HTTP/1.0 in chunks', CHUNKED.replace('1.1', '1.0')],
    ['of HTTP/2', OK.replace('1.1', '2.0')],
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\n{"Item":{}}'],
    ['with two lengths', OK.replace('\r\n\r\n', '\r\ncontent-length: 12\r\n\r\n')],
    ['with a length and chunks', CHUNKED.replace('\r\n\r\n', '\r\ncontent-length: 11\r\n\r\n')],
    ['with another coding', CHUNKED.replace('Chunked', 'gzip, chunked')],
    ['with another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n'],
    ['that is none', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['whose head has no end', 'x'.repeat(20_000)],
  ])("leave the server to Node's own client after an answer %s", async (_what, text) => {
    const byNode = jest.spyOn(process.getBuiltinModule('node:http').ClientRequest.prototype, 'onSocket');
    const { endpoint, requests } = await saying(text, CLOSING);
    const transport = direct(endpoint);
    expect([await getItem(transport), await getItem(transport)]).toEqual([ITEM, ITEM]);
    expect(requests).toHaveLength(3);
    expect(byNode).toHaveBeenCalledTimes(2);
    byNode.mockRestore();
  });

  it('speak IPv6', async () => {
    const server = createServer((socket) => void sockets.push(socket.on('data', () => socket.write(OK))));
    servers.push(server);
    expect(await getItem(direct(await listening(server, '::1')))).toEqual(ITEM);
  });

  it('send no header that would be two', async () => {
    const { endpoint, requests } = await saying(OK);
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c\r\nx-other: 1' };
    const error = await errorOf(getItem(direct(endpoint, { credentials: () => credentials })));
    expect(error).toMatchObject({ name: 'CredentialsProviderError', code: 'ERR_INVALID_CHAR' });
    expect(requests).toEqual([]);
  });

  it("are not made where BATCHLATCH_HTTP says that Node's client is to be taken", async () => {
    const byNode = jest.spyOn(process.getBuiltinModule('node:http').ClientRequest.prototype, 'onSocket');
    const { endpoint } = await saying(CLOSING);
    process.env['BATCHLATCH_HTTP'] = 'node';
    try {
      await getItem(direct(endpoint));
    } finally {
      delete process.env['BATCHLATCH_HTTP'];
    }
    expect(byNode).toHaveBeenCalledTimes(1);
    await getItem(direct(endpoint));
    expect(byNode).toHaveBeenCalledTimes(1);
    byNode.mockRestore();
  });

  it("are left to whoever follows the channels of Node's client", async () => {
    const { endpoint } = await saying(CLOSING);
    const { subscribe, unsubscribe } = process.getBuiltinModule('node:diagnostics_channel');
    let followed = 0;
    const note = (): void => void (followed += 1);
    subscribe('http.client.request.start', note);
    try {
      await getItem(direct(endpoint));
    } finally {
      unsubscribe('http.client.request.start', note);
    }
    expect(followed).toBe(1);
  });

  it.each(['_storeHeader', 'end', 'emit'] as const)(
    "are left to whoever wraps the method %s of Node's requests",
    async (name) => {
      const { prototype } = process.getBuiltinModule('node:http').ClientRequest;
      const method = (prototype as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
      const called = jest.fn();
      const value = function wrapped(this: unknown, ...args: unknown[]): unknown {
        called();
        return method?.apply(this, args);
      };
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
      const { endpoint } = await saying(CLOSING);
      try {
        expect(await getItem(direct(endpoint))).toEqual(ITEM);
      } finally {
        delete (prototype as unknown as Record<string, unknown>)[name];
      }
      expect(called).toHaveBeenCalled();
    },
  );
});

describe('A connection that is opened ahead', () => {
  const request = {
    headers: { 'Content-Length': 2 },
    body: '{}',
    limitMs: 5_000,
    signal: undefined,
    hasSpan: false,
  };
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  interface Opened {
    readonly url: URL;
    /** The server's connections, with the number of requests on each. */
    readonly connections: { readonly socket: Socket; requests: number }[];
    readonly client: OpenedAhead;
  }

  /** A server, and a client that has opened a connection to it. */
  async function opened(): Promise<Opened> {
    const connections: { readonly socket: Socket; requests: number }[] = [];
    const listener = createServer((socket) => {
      const connection = { socket: socket.on('error', () => undefined), requests: 0 };
      connections.push(connection);
      ends.push(() => socket.destroy());
      socket.on('data', () => {
        connection.requests += 1;
        socket.write(OK);
      });
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    ends.push(() => new Promise((resolve) => listener.close(resolve)));
    const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
    const client = connectionsTo(url, LIMITS);
    client.openAhead();
    return { url, connections, client };
  }

  async function firstOf({ connections }: Opened): Promise<Socket> {
    await until('it is open', () => connections.length === 1);
    return connections[0]?.socket as Socket;
  }

  it('carries the first request, also before it is open, and those after it', async () => {
    const { client, connections } = await opened();
    for (const status of [200, 200]) expect(await client.post(request)).toMatchObject({ status });
    expect(connections).toMatchObject([{ requests: 2 }]);
  });

  it('carries the first request after it was opened', async () => {
    const server = await opened();
    await firstOf(server);
    expect(await server.client.post(request)).toMatchObject({ status: 200 });
    expect(server.connections).toMatchObject([{ requests: 1 }]);
  });

  it('is left alone after five seconds, as after a freeze', async () => {
    const server = await opened();
    await firstOf(server);
    const later = Date.now() + 5_001;
    const now = jest.spyOn(Date, 'now').mockReturnValue(later);
    ends.push(() => now.mockRestore());
    expect(await server.client.post(request)).toMatchObject({ status: 200 });
    expect(server.connections).toMatchObject([{ requests: 0 }, { requests: 1 }]);
  });

  it('is forgotten when the server closes it', async () => {
    const server = await opened();
    (await firstOf(server)).destroy();
    await delay(500); // until the client has noticed
    expect(await server.client.post(request)).toMatchObject({ status: 200 });
    expect(server.connections).toMatchObject([{ requests: 0 }, { requests: 1 }]);
  });

  it('asks for another one at once where the server closes it when the request comes', async () => {
    const server = await opened();
    const socket = await firstOf(server);
    socket.removeAllListeners('data').on('data', () => socket.resetAndDestroy());
    await expect(server.client.post(request)).rejects.toMatchObject({ again: 'at-once' });
  });

  it('that cannot be opened is no error until a request fails too', async () => {
    const { url } = await opened();
    for (const end of ends.splice(0)) await end();
    const client = connectionsTo(url, LIMITS);
    client.openAhead();
    await delay(50);
    await expect(client.post(request)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it("is not opened where somebody follows Node's client", async () => {
    const { subscribe, unsubscribe } = process.getBuiltinModule('node:diagnostics_channel');
    const note = (): void => undefined;
    subscribe('http.client.request.start', note);
    ends.push(() => unsubscribe('http.client.request.start', note));
    const { connections } = await opened();
    await delay(50);
    expect(connections).toEqual([]);
  });
});

describe('An answer', () => {
  it('is the same wherever it is cut', () => {
    const bodies = fc.array(fc.tuple(fc.boolean(), fc.string({ unit: 'binary', maxLength: 40 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(bodies, fc.array(fc.nat({ max: 300 }), { maxLength: 8 }), (answers, cuts) => {
        const reader = new AnswerReader(10_000);
        const wire = Buffer.concat(
          answers.map(([isChunked, body]) => (isChunked ? inChunks(body) : withLength(body))),
        );
        const whole: string[] = [];
        for (const part of partsOf(
          wire,
          cuts,
          answers.map(([isChunked, body]) => (isChunked ? inChunks(body) : withLength(body)).length),
        )) {
          const read = reader.read(part);
          if (typeof read === 'object') {
            expect(read.isLast).toBe(false);
            whole.push(read.answer.body.toString());
          } else expect(read).toBe('more');
        }
        expect(whole).toEqual(answers.map(([, body]) => Buffer.from(body).toString()));
      }),
    );
  });

  it.each([
    ['by its length', 'HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n'],
    ['in a chunk', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n${'x'.repeat(101)}`],
  ])('that is too long is not collected: %s', (_how, text) => {
    expect(new AnswerReader(100).read(Buffer.from(text))).toBe('too-long');
  });

  it('in chunks that are none cannot be read', () => {
    const read = (text: string): unknown =>
      new AnswerReader(100).read(Buffer.from(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${text}`));
    for (const text of ['{}\r\n', '-1\r\n', '\r\n', '123456789\r\n', '2\r\n{}!\r\n0\r\n\r\n'])
      expect([text, read(text)]).toEqual([text, 'unreadable']);
  });
});

function withLength(body: string): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length:${bytes.length}\r\nX-Other: \t1 \r\n\r\n`),
    bytes,
  ]);
}

function inChunks(body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  const halves = [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)].filter(
    ({ length }) => length > 0,
  );
  const chunks = halves.flatMap((half) => [
    Buffer.from(`${half.length.toString(16)}\r\n`),
    half,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([head, ...chunks, Buffer.from('0\r\n\r\n')]);
}

/** In parts, of which none holds the bytes of two answers: the second is not asked for before the first is there. */
function partsOf(wire: Buffer, cuts: readonly number[], lengths: readonly number[]): Buffer[] {
  let at = 0;
  const ends = lengths.map((length) => (at += length));
  const places = [...new Set([...cuts.filter((cut) => cut > 0 && cut < wire.length), ...ends])].toSorted(
    (a, b) => a - b,
  );
  let from = 0;
  return places.map((place) => wire.subarray(from, (from = place)));
}
