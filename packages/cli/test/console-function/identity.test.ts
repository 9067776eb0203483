import { describe, expect, it } from '@jest/globals';
import { publicKeysAddress, publicKeysOf } from '../../src/console-function/jwt.ts';
import { systemClock } from '../../src/tool-base/clock.ts';
import { ANN, CLIENT, ISSUER, LOAD_BALANCER, NOW, signing } from './signing.ts';
import { functionUrlEvent, json, loadBalancerEvent, ROLES, team } from './team.ts';

const clock = { ...systemClock, now: () => NOW };

describe('behind a load balancer', () => {
  const keys = signing();
  const entrance = {
    kind: 'load-balancer',
    loadBalancerArn: LOAD_BALANCER,
    issuer: ISSUER,
    clientId: CLIENT,
    claim: 'groups',
    roles: ROLES,
  } as const;
  const of = team(
    () => entrance,
    () => keys.address,
  );
  const session = (token: string | undefined, claim = 'groups'): ReturnType<ReturnType<typeof of.handler>> =>
    of.handler({ config: { entrance: { ...entrance, claim } }, ports: { clock } })(
      loadBalancerEvent('/api/session', token === undefined ? {} : { token }),
    );

  it('a person is who the load balancer signed in, with the role of a group', async () => {
    const answer = await session(keys.token());
    expect([answer.statusCode, json(answer)]).toEqual([
      200,
      expect.objectContaining({ operator: 'ann@example.com (u-ann)', role: 'operate', allowChanges: true }),
    ]);
    const reader = await session(keys.token({}, { ...ANN, groups: 'staff' }));
    expect(json(reader)).toMatchObject({ role: 'read', allowChanges: false });
  });

  it('a person may have a role by a verified e-mail address', async () => {
    const roles = { read: [], operate: [ANN.email] };
    const by = (payload: object): ReturnType<ReturnType<typeof of.handler>> =>
      of.handler({ config: { entrance: { ...entrance, claim: 'email', roles } }, ports: { clock } })(
        loadBalancerEvent('/api/session', { token: keys.token({}, payload) }),
      );
    expect(json(await by({ sub: 'x', email: ANN.email }))).toMatchObject({ role: 'operate' });
    expect((await by({ sub: 'x', email: ANN.email, email_verified: false })).statusCode).toBe(403);
  });

  it('a person with a long name has a part of it without half a character', async () => {
    const sub = `${'x'.repeat(127)}\u{1F600}`;
    const answer = await session(keys.token({}, { ...ANN, sub }));
    expect(json(answer)).toMatchObject({ operator: `${'x'.repeat(127)}?` });
  });

  const past = NOW / 1_000;
  const refused: [string, () => string | undefined, string][] = [
    ['has no token', () => undefined, 'no header'],
    ['has an empty token', () => '', 'not a token'],
    ['has no token but text', () => 'x.y.z', 'not a token'],
    ['is signed by another key', () => keys.forgedToken(), 'another signature'],
    ['was changed', () => tampered(keys.token({}, { ...ANN, groups: [] })), 'another signature'],
    ['has its signature removed', () => keys.token().replace(/\.[^.]+$/, '.'), 'another signature'],
    ['is signed by nobody', () => keys.token({ alg: 'none' }), 'not a token by ES256'],
    ['is signed by a shared secret', () => keys.token({ alg: 'HS256' }), 'not a token by ES256'],
    ['is signed by an unknown key', () => keys.token({ kid: 'other' }), 'no such key'],
    ['names a key elsewhere', () => keys.token({ kid: '../evil' }), 'no id of a key'],
    ['is of another load balancer', () => keys.token({ signer: `${LOAD_BALANCER}0` }), 'another signer'],
    ['is of another issuer', () => keys.token({ iss: 'https://evil.example' }), 'another issuer'],
    ['is of another client', () => keys.token({ client: 'other' }), 'another client'],
    ['expired', () => keys.token({ exp: past }), 'expired'],
    ['never expires', () => keys.token({ exp: undefined }), 'expired'],
    ['has no subject', () => keys.token({}, { ...ANN, sub: '' }), 'no subject'],
    ['has no group', () => keys.token({}, { sub: 'x' }), 'no role'],
    ['has another group', () => keys.token({}, { ...ANN, groups: ['guests'] }), 'no role'],
    ['is too long', () => keys.token({}, { ...ANN, more: 'x'.repeat(66_000) }), 'not a token'],
  ];
  it.each(refused)('nobody is let in whose request %s', async (_what, token, why) => {
    const api = await session(token());
    expect([api.statusCode, of.log.at(-1)]).toEqual([403, expect.objectContaining({ why })]);
    expect(json(api)).toEqual({ error: expect.objectContaining({ code: 'no-role' }) });
    const given = token();
    const page = await of.handler({ ports: { clock } })(
      loadBalancerEvent('/claims', given === undefined ? {} : { token: given }),
    );
    expect([page.statusCode, page.body]).toEqual([403, expect.stringContaining('<h1>No access</h1>')]);
  });

  it('nobody is let in by what another header says', async () => {
    const headers = { 'x-amzn-oidc-identity': 'u-ann', authorization: `Bearer ${keys.token()}` };
    expect(
      (await of.handler({ ports: { clock } })(loadBalancerEvent('/api/session', { headers }))).statusCode,
    ).toBe(403);
  });

  it('nobody is let in by the identity of a function URL', async () => {
    const userArn = 'arn:aws:iam::123456789012:user/operators';
    expect(
      (await of.handler({ ports: { clock } })(functionUrlEvent('/api/session', { userArn }))).statusCode,
    ).toBe(403);
  });

  it('a refused person is named on the page, as text', async () => {
    const token = keys.token({}, { sub: '<script>\u202E', groups: [] });
    const { body } = await of.handler({ ports: { clock } })(loadBalancerEvent('/', { token }));
    expect(body).toContain('You are &#60;script&#62;?, and have no role');
  });

  it('asks for a key once', async () => {
    const handler = of.handler({ ports: { clock } });
    await handler(loadBalancerEvent('/api/session', { token: keys.token() }));
    const before = keys.asked();
    await handler(loadBalancerEvent('/api/session', { token: keys.token() }));
    expect(keys.asked()).toBe(before);
  });

  it('keeps 20 keys at most, so that ids of keys do not fill its memory', async () => {
    const keyOf = publicKeysOf(keys.address);
    for (let index = 0; index <= 20; index += 1) await keyOf(`${keys.kid}-${index}`);
    const before = keys.asked();
    await keyOf(`${keys.kid}-20`);
    expect(keys.asked()).toBe(before);
    await keyOf(`${keys.kid}-0`);
    expect(keys.asked()).toBe(before + 1);
  });

  it('says that keys cannot be read, and lets nobody in', async () => {
    const ports = { clock, keys: publicKeysOf('http://127.0.0.1:9') };
    const answer = await of.handler({ ports })(loadBalancerEvent('/api/session', { token: keys.token() }));
    expect([answer.statusCode, json(answer)]).toEqual([
      503,
      { error: expect.objectContaining({ code: 'no-keys' }) },
    ]);
  });

  it('takes the list of values that a load balancer may send for each header', async () => {
    const event = loadBalancerEvent('/api/session', { token: keys.token() }) as {
      headers: Record<string, string>;
    };
    const lists = Object.fromEntries(Object.entries(event.headers).map(([name, value]) => [name, [value]]));
    const handler = of.handler({ ports: { clock } });
    const answer = await handler({ ...event, headers: undefined, multiValueHeaders: lists });
    expect(answer).toMatchObject({ statusCode: 200, multiValueHeaders: { 'X-Frame-Options': ['DENY'] } });
    const twice = { ...lists, 'x-amzn-oidc-data': [keys.token(), keys.token()] };
    expect((await handler({ ...event, headers: undefined, multiValueHeaders: twice })).statusCode).toBe(403);
  });
});

describe('the address of the public keys', () => {
  it.each([
    ['aws', 'eu-west-1', 'https://public-keys.auth.elb.eu-west-1.amazonaws.com'],
    ['aws-cn', 'cn-north-1', 'https://public-keys.auth.elb.cn-north-1.amazonaws.com.cn'],
    [
      'aws-us-gov',
      'us-gov-west-1',
      'https://s3-us-gov-west-1.amazonaws.com/aws-elb-public-keys-prod-us-gov-west-1',
    ],
  ])('is that of the Region of the load balancer: %s', (partition, region, address) => {
    const arn = `arn:${partition}:elasticloadbalancing:${region}:123456789012:loadbalancer/app/x/1`;
    expect(publicKeysAddress(arn)).toBe(address);
  });
});

describe('behind a function URL', () => {
  const roles = {
    read: ['arn:aws:iam::123456789012:role/team/Support', 'arn:aws:iam::123456789012:user/sue'],
    operate: ['arn:aws:iam::123456789012:role/OnCall'],
  };
  const of = team(
    () => ({ kind: 'function-url', roles }),
    () => 'http://127.0.0.1:9',
  );
  const as = (userArn: string | undefined, headers = {}): ReturnType<ReturnType<typeof of.handler>> =>
    of.handler()(functionUrlEvent('/api/session', { headers, ...(userArn !== undefined && { userArn }) }));

  it.each([
    [
      'arn:aws:sts::123456789012:assumed-role/OnCall/ann@example.com',
      'operate',
      'ann@example.com (123456789012 OnCall)',
    ],
    ['arn:aws:sts::123456789012:assumed-role/Support/bob', 'read', 'bob (123456789012 Support)'],
    ['arn:aws:iam::123456789012:user/sue', 'read', 'sue (123456789012)'],
  ])('a person is the principal whose signature Lambda verified: %s', async (userArn, role, operator) => {
    expect(json(await as(userArn))).toMatchObject({ role, operator });
  });

  it.each([
    undefined,
    '',
    'x',
    'arn:aws:iam::123456789012:root',
    'arn:aws:sts::123456789012:assumed-role/Other/OnCall',
    'arn:aws:sts::123456789012:assumed-role/oncall/ann',
    'arn:aws:sts::999999999999:assumed-role/OnCall/ann',
    'arn:aws:sts::123456789012:federated-user/OnCall',
    'arn:aws:iam::123456789012:user/OnCall',
    'arn:aws:sts::123456789012:assumed-role/OnCall/ann/more',
    'arn:aws:sts::123456789012:assumed-role/OnCall/ann:arn',
  ])('%j is nobody who is let in', async (userArn) => {
    expect((await as(userArn)).statusCode).toBe(403);
  });

  it('nobody is let in by a header', async () => {
    const headers = {
      'x-amzn-oidc-data': 'x',
      'x-amz-user-arn': 'arn:aws:iam::123456789012:user/sue',
      'x-amzn-iam-userarn': 'arn:aws:iam::123456789012:user/sue',
    };
    expect((await as(undefined, headers)).statusCode).toBe(403);
  });
});

/** Puts a group into the payload of a token. */
function tampered(token: string): string {
  const [head, , signature] = token.split('.');
  return `${head}.${Buffer.from(JSON.stringify(ANN)).toString('base64url')}.${signature}`;
}
