import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { checkConfig } from '../../src/console-function/config.ts';
import type { FunctionResponse } from '../../src/console-function/function-event.ts';
import { systemClock } from '../../src/tool-base/clock.ts';
import { CLIENT, ISSUER, LOAD_BALANCER, NOW, signing } from './signing.ts';
import { functionUrlEvent, HOST, json, loadBalancerEvent, ROLES, team } from './team.ts';

const SUE = 'arn:aws:iam::123456789012:user/sue';
const PLAN = { operation: 'release', filter: { state: 'parked' } };
const clock = { ...systemClock, now: () => NOW };

describe('a request to a console for a team', () => {
  const keys = signing();
  const byBalancer = team(
    () => ({
      kind: 'load-balancer',
      loadBalancerArn: LOAD_BALANCER,
      issuer: ISSUER,
      clientId: CLIENT,
      claim: 'groups',
      roles: ROLES,
    }),
    () => keys.address,
  );
  const byUrl = team(
    () => ({ kind: 'function-url', roles: { read: [SUE], operate: [] } }),
    () => keys.address,
  );
  const appFolder = mkdtempSync(path.join(tmpdir(), 'batchlatch-app-'));
  writeFileSync(path.join(appFolder, 'index.html'), '<!doctype html><title>x</title>');
  writeFileSync(path.join(appFolder, 'icon.png'), Buffer.from([0x89, 0xff]));
  afterAll(() => rmSync(appFolder, { recursive: true, force: true }));

  const ask = (place: string, more: { body?: unknown; headers?: object } = {}): Promise<FunctionResponse> =>
    byBalancer.handler({ ports: { clock, appFolder } })(
      loadBalancerEvent(place, { token: keys.token(), ...more }),
    );
  const askUrl = (
    place: string,
    more: { body?: unknown; headers?: object } = {},
  ): Promise<FunctionResponse> => byUrl.handler()(functionUrlEvent(place, { userArn: SUE, ...more }));

  // The cookie of the load balancer would be sent with each of these, and a proxy would sign them.
  const foreign: [string, Record<string, string | undefined>][] = [
    ['of another page', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of a sibling of its host', { origin: 'https://blog.example.com', 'sec-fetch-site': 'same-site' }],
    ['without TLS', { origin: `http://${HOST}` }],
    ['of a page without an origin', { origin: 'null' }],
    ['of a form', { 'content-type': 'text/plain' }],
    ['of no type', { 'content-type': undefined }],
    ['without the header of its pages', { 'x-batchlatch-console': undefined }],
    ['of no page', { 'sec-fetch-site': 'none' }],
    ['of a browser that hides its origin', { origin: undefined }],
  ];
  it.each(foreign)('that posts is refused %s', async (_what, headers) => {
    for (const one of [ask, askUrl]) {
      const { statusCode, body } = await one('/api/plan', { body: PLAN, headers });
      expect([statusCode, body]).toEqual([403, expect.stringMatching(/foreign-page|not-json|no-page/)]);
    }
  });

  it.each(['cross-site', 'same-site'])('that reads is refused where Sec-Fetch-Site is %s', async (site) => {
    for (const one of [ask, askUrl]) {
      const headers = { 'sec-fetch-site': site };
      expect((await one('/api/session', { headers })).statusCode).toBe(403);
      expect((await one('/api/export?format=csv', { headers })).statusCode).toBe(403);
    }
  });

  it('is answered for a link from elsewhere to a page, which changes nothing', async () => {
    const { statusCode, body, headers } = await ask('/claims?state=parked', {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([statusCode, body]).toEqual([200, '<!doctype html><title>x</title>']);
    expect(headers).toMatchObject({ 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-store' });
  });

  it('is answered where a program signs it, or a proxy on the loopback interface', async () => {
    const program = { origin: undefined, 'sec-fetch-site': undefined };
    expect((await askUrl('/api/plan', { body: PLAN, headers: program })).statusCode).toBe(200);
    const proxy = { origin: 'http://127.0.0.1:8080' };
    expect((await askUrl('/api/plan', { body: PLAN, headers: proxy })).statusCode).toBe(200);
    expect((await ask('/api/plan', { body: PLAN, headers: proxy })).statusCode).toBe(403);
    const rebound = { origin: 'http://evil.example:8080' };
    expect((await askUrl('/api/plan', { body: PLAN, headers: rebound })).statusCode).toBe(403);
  });

  it('is answered with the bytes of a file', async () => {
    expect(await ask('/icon.png')).toMatchObject({ isBase64Encoded: true, body: 'if8=' });
    expect((await ask('/../icon.png')).statusCode).toBe(404);
    expect((await ask('/index.html')).statusCode).toBe(404);
  });

  it('has its query read as a load balancer passes it, encoded', async () => {
    await byBalancer.park('a&b=ü');
    const { body } = await ask(`/api/claim?key=${encodeURIComponent('a&b=ü')}`);
    expect(body).toContain('"key":"a&b=ü"');
  });

  it.each(['', '[]', '{', 'null'])('is refused with %j for its object', async (body) => {
    const event = { ...loadBalancerEvent('/api/plan', { token: keys.token(), body: {} }), body };
    expect((await byBalancer.handler({ ports: { clock } })(event)).statusCode).toBe(400);
  });

  it('may be 1 MB long at most', async () => {
    const { statusCode } = await askUrl('/api/plan', { body: { operation: 'x'.repeat(1_048_576) } });
    expect(statusCode).toBe(413);
  });

  it.each([undefined, null, 'x', {}, { Records: [] }, { path: '/' }])('is not %j', async (event) => {
    const answer = await byUrl.handler()(event);
    expect([answer.statusCode, json(answer)]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'bad-request' }) },
    ]);
  });
});

describe('the settings of a console for a team', () => {
  const good = {
    tableName: 'claims',
    hasIndex: true,
    actionsTableName: 'actions',
    actionRetentionDays: 400,
    queues: [],
    queuesUrl: 'http://127.0.0.1:9/000000000000/',
    entrance: { kind: 'function-url', roles: { read: [], operate: [] } },
  };

  it.each([
    [{ entrance: undefined }, 'entrance'],
    [{ entrance: { kind: 'none', roles: good.entrance.roles } }, 'kind'],
    [{ entrance: { kind: 'function-url' } }, 'roles'],
    [{ entrance: { kind: 'function-url', roles: { read: [''], operate: [] } } }, 'read'],
    [{ entrance: { kind: 'load-balancer', roles: good.entrance.roles } }, 'loadBalancerArn'],
    [{ tableName: undefined }, 'tableName'],
    [{ more: 1 }, 'more'],
  ])('are refused at start with %j', (change, named) => {
    expect(() => checkConfig({ ...good, ...change })).toThrow(named);
    expect(checkConfig(good)).toBe(good);
  });
});
