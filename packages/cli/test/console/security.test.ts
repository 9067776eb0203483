import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionSecrets } from '../../src/console/session-secrets.ts';
import { type Asking, askExactly, posting, signIn } from '../../../../test/support/console-browser.ts';
import { consoles, EMPTY } from './consoles.ts';

const PLAN = { operation: 'release', filter: { state: 'parked' } };

describe("the console's address", () => {
  const open = consoles();

  it('lets in a page that has its token, by a secret that no browser sends by itself', async () => {
    const { server } = await open(EMPTY);
    const { status, headers, text } = await signIn(server.url);
    const { secret } = JSON.parse(text) as { readonly secret: string };
    expect([status, secret]).toEqual([200, expect.stringMatching(/^[\w-]{43}$/)]);
    expect(secret).not.toBe(server.token);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('has the token where no request of a browser and no log has it', async () => {
    const { server, url } = await open(EMPTY);
    expect(server.url).toBe(`${url}/#token=${server.token}`);
  });

  it.each(['x', 'A'.repeat(43)])('does not let in who has the token %j', async (token) => {
    const { url } = await open(EMPTY);
    const { status, text } = await signIn(`${url}/#token=${token}`);
    expect([status, text.includes('secret')]).toEqual([401, false]);
    expect(text).toContain('Open the address that the terminal printed');
  });

  it.each([
    ['of another page', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['of a form', { 'content-type': 'text/plain' }],
    ['of a name that resolves here', { host: 'evil.example' }],
  ])('does not let in a request %s with the token', async (_what, headers) => {
    const { server, url } = await open(EMPTY);
    const asking = withHeaders(posting(url, { token: server.token }), headers);
    expect((await askExactly(`${url}/api/sign-in`, asking)).status).toBe(403);
  });

  it('takes a ticket once', async () => {
    const { server } = await open(EMPTY);
    const address = server.ticketUrl();
    expect((await signIn(address)).status).toBe(200);
    expect((await signIn(address)).status).toBe(401);
  });

  it.each(['session', 'events', 'claims', 'claim?key=x', 'export', 'job?id=x', 'actions', 'nothing'])(
    'answers nothing at /api/%s without the secret',
    async (name) => {
      const { url, server, session } = await open(EMPTY);
      const [[header, secret] = ['', '']] = Object.entries(session);
      const cookie = `${header}=${secret}`;
      const wrong = [{}, { [header]: `${secret}x` }, { [header]: server.token }, { cookie }];
      for (const headers of wrong) {
        expect((await askExactly(`${url}/api/${name}`, { headers })).status).toBe(401);
      }
    },
  );

  it.each([
    'plan',
    'changes',
    'read',
    'export',
    'jobs/stop',
    'dead-letters/peek',
    'dead-letters/redrive',
    'outbox/body',
    'outbox/change',
  ])('does nothing at /api/%s without the secret', async (name) => {
    const { url } = await open(EMPTY);
    expect((await askExactly(`${url}/api/${name}`, posting(url, PLAN))).status).toBe(401);
  });

  it('is of this machine alone unless told otherwise', async () => {
    const { server } = await open(EMPTY);
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
  });
});

describe('a request to the console', () => {
  const open = consoles();

  it.each(['evil.example', 'evil.example:PORT', 'localhost.evil.example:PORT', '127.0.0.1.evil.example'])(
    'is refused for the host %j, which a name that resolves to this address would send',
    async (host) => {
      const { url, ask } = await open(EMPTY);
      const { port } = new URL(url);
      const { status, text } = await ask('/api/session', { headers: { host: host.replace('PORT', port) } });
      expect([status, JSON.parse(text)]).toEqual([
        403,
        { error: expect.objectContaining({ code: 'foreign-host' }) },
      ]);
      expect((await ask('/', { headers: { host: host.replace('PORT', port) } })).status).toBe(403);
    },
  );

  it.each(['localhost:PORT', '127.0.0.1:PORT', 'LOCALHOST:PORT', '[::1]:PORT'])(
    'is taken for the host %s',
    async (host) => {
      const { url, ask } = await open(EMPTY);
      const { port } = new URL(url);
      expect((await ask('/api/session', { headers: { host: host.replace('PORT', port) } })).status).toBe(200);
    },
  );

  // `ssh -L 5500:127.0.0.1:PORT`: the browser names the port of its own end.
  it.each(['localhost:5500', '127.0.0.1:5500', '127.0.0.2:5500', '[::1]:5500'])(
    'may read and change through the forwarded port %s, for pages of that port alone',
    async (host) => {
      const { url, ask } = await open(EMPTY);
      const forwarded = posting(`http://${host}`, PLAN);
      const plan = (headers: Asking['headers']) =>
        ask('/api/plan', withHeaders(forwarded, { host, ...headers }));
      expect((await ask('/api/session', { headers: { host, 'sec-fetch-site': 'same-origin' } })).status).toBe(
        200,
      );
      expect((await plan({})).status).toBe(200);
      expect((await plan({ origin: url })).status).toBe(403);
      expect((await plan({ origin: 'http://127.0.0.1:5501' })).status).toBe(403);
    },
  );

  it.each([
    ['an address without the session', '/api/export?format=csv&ticket=used', {}, 401, 'not signed in'],
    ['a name that resolves here', '/claims', { host: 'evil.example' }, 403, 'does not serve this address'],
    ['a page that does not exist', '/nothing', {}, 404, 'There is no such page'],
  ])(
    'for %s is answered with a page in a browser, with what to do',
    async (_what, path, more, status, title) => {
      const { url } = await open(EMPTY);
      const headers = {
        'sec-fetch-dest': 'document',
        'sec-fetch-site': 'none',
        accept: 'text/html',
        ...more,
      };
      const answered = await askExactly(`${url}${path}`, { headers });
      expect([answered.status, answered.headers['content-type']]).toEqual([
        status,
        'text/html; charset=utf-8',
      ]);
      expect(answered.text).toContain(title);
      expect(answered.text).toContain('<a href="/">');
      expect(answered.headers['content-security-policy']).toContain("default-src 'none'");
      const program = await askExactly(`${url}${path}`, { headers: more });
      expect(program.headers['content-type']).not.toContain('text/html');
    },
  );

  it.each(['cross-site', 'same-site'])('that reads is refused where Sec-Fetch-Site is %s', async (site) => {
    const { ask } = await open(EMPTY);
    const paths = ['/api/session', '/api/claims', '/api/events', '/api/export?format=csv'];
    for (const place of paths) {
      expect((await ask(place, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    }
  });

  const others: [string, (asking: Asking, url: string) => Asking, number][] = [
    ['of another origin', (asking) => withHeaders(asking, { origin: 'http://evil.example' }), 403],
    ['of another port', (asking) => withHeaders(asking, { origin: 'http://127.0.0.1:1' }), 403],
    [
      'of another scheme',
      (asking, url) => withHeaders(asking, { origin: url.replace('http', 'https') }),
      403,
    ],
    ['of no origin', (asking) => withHeaders(asking, { origin: 'null' }), 403],
    ['of a browser that hides its origin', (asking) => withHeaders(asking, { origin: undefined }), 403],
    ['of another site', (asking) => withHeaders(asking, { 'sec-fetch-site': 'cross-site' }), 403],
    ['of the same site', (asking) => withHeaders(asking, { 'sec-fetch-site': 'same-site' }), 403],
    ['of no page', (asking) => withHeaders(asking, { 'sec-fetch-site': 'none' }), 403],
    ['of a form', (asking) => withHeaders(asking, { 'content-type': 'text/plain' }), 403],
    ['of no type', (asking) => withHeaders(asking, { 'content-type': undefined }), 403],
    ['of an old browser', (asking) => withHeaders(asking, { 'sec-fetch-site': undefined }), 200],
    [
      'of no browser',
      (asking) => withHeaders(asking, { 'sec-fetch-site': undefined, origin: undefined }),
      200,
    ],
    ['as a page of its own sends it', (asking) => asking, 200],
  ];
  it.each(others)('that posts is judged %s', async (_what, change, expected) => {
    const { url, ask } = await open(EMPTY);
    const { status } = await ask('/api/plan', change(posting(url, PLAN), url));
    expect(status).toBe(expected);
  });

  it.each(['/api/changes', '/api/dead-letters/redrive'])(
    'to %s is refused where changes are not allowed',
    async (place) => {
      const { url, ask } = await open({ ...EMPTY, allowChanges: false });
      const { status, text } = await ask(place, posting(url, { plan: 'x', reason: 'y' }));
      expect(status).toBe(403);
      expect(text).toContain('--allow-changes');
    },
  );

  it('may be planned where changes are not allowed', async () => {
    const { post } = await open({ ...EMPTY, allowChanges: false });
    expect(await post('/api/plan', PLAN)).toMatchObject({ count: 0 });
  });

  it.each(['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'POST'])('by %s is not answered by pages', async (method) => {
    const { ask } = await open(EMPTY);
    expect((await ask('/', { method })).status).toBe(405);
    expect((await ask('/api/session', { method: method === 'POST' ? 'PUT' : method })).status).toBe(404);
  });

  it('may be 1 MB long at most, whether it says so or not', async () => {
    const { url, ask } = await open(EMPTY);
    const body = JSON.stringify({ reason: 'x'.repeat(1_048_576) });
    const { headers } = posting(url, {});
    const said = await ask('/api/plan', {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      body,
    });
    expect(said.status).toBe(413);
    const unsaid = await ask('/api/plan', {
      method: 'POST',
      headers: { ...headers, 'transfer-encoding': 'chunked' },
      body,
    });
    expect(unsaid.status).toBe(413);
  });

  it('is told that it is too long, though it sends all before it reads the answer', async () => {
    const { url, session } = await open(EMPTY);
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.pause();
    const answered = once(socket, 'data');
    const length = 3_000_000;
    const headers = { host: `${hostname}:${port}`, ...session, ...posting(url, {}).headers };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /api/plan HTTP/1.1\r\n${head.join('')}content-length: ${length}\r\n\r\n`);
    for (let sent = 0; sent < length; sent += length / 3) {
      await new Promise((sentAll) => socket.write('x'.repeat(length / 3), sentAll));
      await sleep(50);
    }
    socket.resume();
    const [answer] = (await answered) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it.each(['', '[]', '"x"', '{', 'null'])('is refused with %j for its object', async (body) => {
    const { url, ask } = await open(EMPTY);
    expect((await ask('/api/plan', { ...posting(url, {}), body })).status).toBe(400);
  });
});

describe('an answer of the console', () => {
  const open = consoles();
  let appFolder = '';
  beforeAll(async () => {
    appFolder = await mkdtemp(path.join(tmpdir(), 'batchlatch-app-'));
    await mkdir(path.join(appFolder, 'assets'));
    await writeFile(path.join(appFolder, 'index.html'), '<!doctype html><title>x</title>');
    await writeFile(path.join(appFolder, 'assets', 'index-abc123.js'), 'export {};');
    await writeFile(path.join(appFolder, 'secret.js'), 'secret');
  });
  afterAll(() => rm(appFolder, { recursive: true, force: true }));

  it.each(['/', '/api/session', '/api/nothing', '/assets/index-abc123.js'])(
    'has the headers that browsers keep to: %s',
    async (place) => {
      const { ask } = await open({ ...EMPTY, appFolder });
      const { headers } = await ask(place);
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': place.startsWith('/assets/') ? expect.stringContaining('immutable') : 'no-store',
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it.each(['/', '/claims?state=parked', '/claim?key=x', '/dead-letters', '/outbox', '/actions'])(
    'is the page at %s',
    async (place) => {
      const { ask } = await open({ ...EMPTY, appFolder });
      expect(await ask(place)).toMatchObject({
        status: 200,
        text: '<!doctype html><title>x</title>',
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    },
  );

  it('is a file of the app, and no other', async () => {
    const { ask } = await open({ ...EMPTY, appFolder });
    expect(await ask('/assets/index-abc123.js')).toMatchObject({ status: 200, text: 'export {};' });
    const others = [
      '/secret.js',
      '/assets/../secret.js',
      '/assets/..%2fsecret.js',
      '/assets/%2e%2e/secret.js',
      '/assets/x/../../secret.js',
      '/../../etc/passwd',
      '//etc/passwd',
      '/assets/',
      '/assets/.env',
      '/index.html',
      '/assets/none.js',
    ];
    for (const place of others) expect([place, (await ask(place)).status]).toEqual([place, 404]);
  });

  it('says what to run where the pages are not built', async () => {
    const { ask } = await open({ ...EMPTY, appFolder: path.join(appFolder, 'none') });
    expect(await ask('/')).toMatchObject({
      status: 503,
      text: expect.stringContaining('npm run build'),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  });
});

describe('a download', () => {
  const open = consoles();

  it('is let in by its ticket, once', async () => {
    const { url, post } = await open(EMPTY);
    const { ticket } = await post<{ readonly ticket: string }>('/api/export', {});
    const address = `${url}/api/export?format=json&ticket=${ticket}`;
    expect((await askExactly(address)).text).toBe('[\n]\n');
    expect((await askExactly(address)).status).toBe(401);
  });

  it('is the only thing that its ticket lets in', async () => {
    const { url, post } = await open(EMPTY);
    const { ticket } = await post<{ readonly ticket: string }>('/api/export', {});
    expect((await askExactly(`${url}/api/claims?ticket=${ticket}`)).status).toBe(401);
    const asSecret = await askExactly(`${url}/api/session`, { headers: { 'x-batchlatch-session': ticket } });
    expect([asSecret.status, (await signIn(`${url}/#token=${ticket}`)).status]).toEqual([401, 401]);
  });
});

describe('SessionSecrets', () => {
  it('are others for each run', () => {
    const [one, other] = [new SessionSecrets(), new SessionSecrets()];
    const secret = one.signIn(one.token) ?? '';
    const request = { headers: { 'x-batchlatch-session': secret } };
    expect([one.isIn(request), other.isIn(request), other.signIn(one.token)]).toEqual([
      true,
      false,
      undefined,
    ]);
  });

  it('keep no more than the newest tickets', () => {
    const secrets = new SessionSecrets();
    const tickets = Array.from({ length: 21 }, () => secrets.downloadTicket());
    expect([tickets[0], tickets[1]].map((ticket) => secrets.isDownload(ticket ?? ''))).toEqual([false, true]);
  });
});

function withHeaders(asking: Asking, headers: Asking['headers']): Asking {
  return { ...asking, headers: { ...asking.headers, ...headers } };
}
