import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { guardServer } from '../../src/guard/guard-server.ts';
import { type Answered, askExactly, type Asking } from '../support/console-browser.ts';

describe('a guarded server', () => {
  let server: Server;
  let asked = 0;
  afterEach(() => void server.close());

  async function serve(
    host = '127.0.0.1',
    allowedHosts?: readonly string[],
  ): Promise<(asking: Asking) => Promise<Answered>> {
    asked = 0;
    server = createServer((_request, response) => {
      asked += 1;
      response.end('secret');
    });
    guardServer(server, host, allowedHosts);
    const port = await listenLocally(server);
    return (asking) => askExactly(`http://127.0.0.1:${port}`, asking);
  }

  it.each([
    [
      'a fetch',
      { method: 'POST', headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } },
    ],
    ['a fetch of another port', { headers: { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' } }],
    ['a fetch of a page without an origin', { headers: { origin: 'null' } }],
    ['a fetch of an old browser', { headers: { origin: 'https://evil.example' } }],
    ['an image', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' } }],
    [
      'a preflight',
      {
        method: 'OPTIONS',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-amz-target',
          'access-control-request-private-network': 'true',
        },
      },
    ],
    [
      'a page whose name resolves here',
      { headers: { host: 'evil.example', 'sec-fetch-site': 'same-origin' } },
    ],
    ['a page whose name begins like ours', { headers: { host: 'localhost.evil.example:80' } }],
  ])('refuses %s, and allows no page to read why', async (_what, asking) => {
    const ask = await serve();
    const { status, headers, text } = await ask(asking);
    expect([status, JSON.parse(text), asked]).toEqual([
      403,
      { __type: 'AccessDeniedException', message: expect.any(String) },
      0,
    ]);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each([
    ['programs', {}],
    ['programs by the name localhost', { headers: { host: 'localhost:1' } }],
    ['an address that somebody typed', { headers: { 'sec-fetch-site': 'none' } }],
    [
      'its own pages',
      { headers: { host: '127.0.0.1:1', origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-origin' } },
    ],
  ])('answers %s', async (_what, asking) => {
    const ask = await serve();
    expect(await ask(asking)).toMatchObject({ status: 200, text: 'secret' });
  });

  it('answers by the names that the user gave', async () => {
    const ask = await serve('127.0.0.1', ['host.docker.internal']);
    expect((await ask({ headers: { host: 'host.docker.internal:8000' } })).status).toBe(200);
    expect((await ask({ headers: { host: 'evil.example' } })).status).toBe(403);
  });

  it('answers by any name where others are meant to reach it, and refuses foreign pages there too', async () => {
    const ask = await serve('0.0.0.0');
    expect((await ask({ headers: { host: 'worker.shop.svc:8080' } })).status).toBe(200);
    const fetched = { host: 'worker.shop.svc:8080', origin: 'https://evil.example' };
    expect((await ask({ headers: fetched })).status).toBe(403);
  });
});
