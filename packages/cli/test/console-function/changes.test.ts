import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ActionJson,
  ClaimDetailJson,
  ClaimsJson,
  PeekJson,
  PlanJson,
  Session,
  StartedJson,
} from '../../src/console/api.ts';
import { INPUTS, type RequestName } from '../../src/console/inputs.ts';
import type { RedrivePlanJson } from '../../src/console/redrive-api.ts';
import { isChange } from '../../src/console/routes.ts';
import type { SendPlanJson } from '../../src/console/send/send-api.ts';
import type { LogSearch } from '../../src/console/waterfall/read-waterfall.ts';
import type { ConsoleConfig } from '../../src/console-function/config.ts';
import { assumeRole } from '../../src/console-function/assume-role.ts';
import type { ConsolePorts } from '../../src/console-function/console-ports.ts';
import type { FunctionResponse } from '../../src/console-function/function-event.ts';
import { keyHash } from 'batchlatch/operations';
import { CarriedPlans } from '../../src/console/carried-plans.ts';
import { CHANGES, READS } from '../../../../test/support/console-permissions.ts';
import { type QueuesOfTest, startQueues } from '../../../../test/support/console-server.ts';
import { serveLocally } from './serve-locally.ts';
import { allowing, functionUrlEvent, json, team } from './team.ts';

const ANN = 'arn:aws:sts::123456789012:assumed-role/OnCall/ann';
const BOB = 'arn:aws:sts::123456789012:assumed-role/Support/bob';
const ROLES = {
  read: ['arn:aws:iam::123456789012:role/Support'],
  operate: ['arn:aws:iam::123456789012:role/OnCall'],
};
const REASON = 'fixed in 1.4';
const CHANGING = (Object.keys(INPUTS) as RequestName[]).filter(isChange);

describe('a console for a team', () => {
  const of = team(
    () => ({ kind: 'function-url', roles: ROLES }),
    () => 'http://127.0.0.1:9',
  );
  /** Each request is answered by a function that knows nothing of the others. */
  const ask = (userArn: string, path: string, body?: unknown): Promise<FunctionResponse> =>
    of.handler()(functionUrlEvent(path, { userArn, ...(body !== undefined && { body }) }));

  async function change(key: string, operation: string, more: object = {}): Promise<StartedJson> {
    const plan = await ask(ANN, '/api/plan', { operation, filter: { by: 'key', q: key } });
    const { plan: id } = json(plan) as PlanJson;
    return json(await ask(ANN, '/api/changes', { plan: id, reason: REASON, ...more })) as StartedJson;
  }

  const detail = async (key: string): Promise<ClaimDetailJson> =>
    json(await ask(BOB, `/api/claim?key=${encodeURIComponent(key)}`)) as ClaimDetailJson;

  it('has a route for each change, so that the tests below are of something', () => {
    expect(CHANGING).toEqual(expect.arrayContaining(['POST /api/changes', 'POST /api/dead-letters/redrive']));
  });

  it.each(CHANGING)('refuses %s by the role read, and asks for no credentials', async (name) => {
    const before = of.assumed.length;
    const answer = await ask(BOB, name.split(' ')[1] ?? '', { plan: 'x', reason: REASON });
    expect([answer.statusCode, json(answer)]).toEqual([
      403,
      { error: { code: 'read-only', message: expect.stringContaining('Your role is `read`') } },
    ]);
    expect(of.assumed).toHaveLength(before);
  });

  it('refuses a change by the role operate where nobody was given the permission', async () => {
    const { changes: _none, ...config } = of.config;
    const handler = of.handler({ config: { ...config, changes: undefined as never } });
    const body = { plan: 'x', reason: REASON };
    expect((await handler(functionUrlEvent('/api/changes', { userArn: ANN, body }))).statusCode).toBe(403);
  });

  it.each(['release', 'resolve', 'park'])(
    'keeps who did it, when, why and what was seen in the row: %s',
    async (operation) => {
      const key = `orders#${operation}`;
      await of.park(key);
      const { claim } = await detail(key);
      const { ended } = await change(key, operation);
      expect(ended).toMatchObject({ what: 'change', ended: 'whole', result: { done: 1 } });
      const { events } = await detail(key);
      expect(events).toContainEqual(
        expect.objectContaining({
          kind: 'changed',
          operation,
          operator: 'ann (123456789012 OnCall)',
          reason: REASON,
          at: expect.stringMatching(/^20/),
          from: expect.objectContaining({ status: 'PARKED', owner: claim.owner, attempt: 1 }),
        }),
      );
      expect(of.assumed.at(-1)).toBe('ann (123456789012 OnCall)');
    },
  );

  it('keeps that a claim was forgotten, before the claim of the key that came then', async () => {
    const key = 'orders#forgotten';
    await of.park(key);
    await change(key, 'forget', { confirmed: true });
    const gone = await ask(BOB, `/api/claim?key=${encodeURIComponent(key)}`);
    expect([gone.statusCode, gone.body]).toEqual([404, expect.stringContaining(REASON)]);
    await of.park(key);
    const { events } = await detail(key);
    expect(events.map(({ kind }) => kind)).toEqual(['changed', 'claimed', 'parked']);
    expect(events[0]).toMatchObject({
      kind: 'changed',
      operation: 'forget',
      operator: 'ann (123456789012 OnCall)',
      reason: REASON,
      from: { status: 'PARKED', attempt: 1 },
    });
  });

  it('lists the actions of all, by everybody who asks', async () => {
    await of.park('orders#listed');
    const { job } = await change('orders#listed', 'release');
    const { actions } = json(await ask(BOB, '/api/actions')) as { actions: ActionJson[] };
    expect(actions[0]).toMatchObject({
      job,
      what: 'release',
      operator: 'ann (123456789012 OnCall)',
      asked: 1,
      done: 1,
      ended: 'whole',
    });
    expect(new Set(actions.map((action) => action.job)).size).toBe(actions.length);
  });

  it('changes nothing if the action cannot be recorded', async () => {
    await of.park('orders#unrecorded');
    const plan = await ask(ANN, '/api/plan', {
      operation: 'release',
      filter: { by: 'key', q: 'orders#unrecorded' },
    });
    const handler = of.handler({ config: { actionsTableName: 'no-such-table' } });
    const body = { plan: (json(plan) as PlanJson).plan, reason: REASON };
    const answer = await handler(functionUrlEvent('/api/changes', { userArn: ANN, body }));
    expect((json(answer) as StartedJson).ended).toMatchObject({ ended: 'failed' });
    expect((await detail('orders#unrecorded')).claim.state).toBe('parked');
  });

  it('keeps what was seen of the claims before it changes them', async () => {
    await of.park('orders#seen');
    const { claim } = await detail('orders#seen');
    const { job } = await change('orders#seen', 'release');
    const { dynamodb } = of.ports.clients();
    const { Items } = await dynamodb.query({
      TableName: of.config.actionsTableName,
      KeyConditionExpression: '#log = :log',
      ExpressionAttributeNames: { '#log': 'log' },
      ExpressionAttributeValues: { ':log': { S: `seen ${job}` } },
    });
    expect(Items?.map(({ value }) => JSON.parse(value?.S ?? ''))).toEqual([
      [['orders#seen', 'PARKED', claim.owner, 1]],
    ]);
  });

  it('changes nothing if the credentials come after the deadline', async () => {
    await of.park('orders#late-credentials');
    const { plan } = json(
      await ask(ANN, '/api/plan', {
        operation: 'release',
        filter: { by: 'key', q: 'orders#late-credentials' },
      }),
    ) as PlanJson;
    const timers: (() => void)[] = [];
    const clock: ConsolePorts['clock'] = {
      now: () => Date.now(),
      setTimer: (end) => {
        timers.push(end);
        return () => undefined;
      },
    };
    const { credentialsFor } = of.ports;
    const handler = of.handler({
      ports: {
        clock,
        credentialsFor: (operator) => {
          timers.forEach((end) => end());
          return credentialsFor(operator);
        },
      },
    });
    const answer = await handler(
      functionUrlEvent('/api/changes', { userArn: ANN, body: { plan, reason: REASON } }),
    );
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('out-of-time')]);
    expect((await detail('orders#late-credentials')).claim.state).toBe('parked');
  });

  it('changes a claim once, though the page sends the plan twice', async () => {
    const key = 'orders#twice';
    await of.park(key);
    const { plan } = json(
      await ask(ANN, '/api/plan', { operation: 'release', filter: { by: 'key', q: key } }),
    ) as PlanJson;
    const results = [];
    for (let round = 0; round < 2; round += 1) {
      results.push(
        (json(await ask(ANN, '/api/changes', { plan, reason: REASON })) as StartedJson).ended?.result,
      );
    }
    expect(results).toEqual([
      expect.objectContaining({ done: 1 }),
      expect.objectContaining({ done: 0, refused: expect.objectContaining({ changed: 1 }) }),
    ]);
    expect((await detail(key)).events.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
  });

  it('refuses a plan that it never answered, or that is old', async () => {
    const old = new CarriedPlans(
      { now: () => Date.now() - 301_000, setTimer: () => () => undefined },
      (given) => given,
    );
    const claims = [{ key: 'k', status: 'PARKED', owner: 'o', attempt: 1 }];
    const { id } = old.keep({ operation: 'release', force: false, claims });
    expect((await ask(ANN, '/api/changes', { plan: id, reason: REASON })).statusCode).toBe(409);
    const now = new CarriedPlans(
      { now: () => Date.now(), setTimer: () => () => undefined },
      (given) => given,
    );
    const others = [
      'x',
      now.keep({ operation: 'delete', force: false, claims }).id,
      now.keep({ operation: 'release', force: false, claims: [] }).id,
      now.keep({ operation: 'release', force: false, claims: [{ key: 'k' }] }).id,
    ];
    for (const plan of others) {
      expect((await ask(ANN, '/api/changes', { plan, reason: REASON })).statusCode).toBe(400);
    }
  });

  it('stops before Lambda ends it, and says what is left', async () => {
    const keys = Array.from({ length: 3 }, (_, index) => `late#${index}`);
    await of.park(...keys);
    const { plan } = json(
      await ask(ANN, '/api/plan', { operation: 'release', filter: { q: 'late#' } }),
    ) as PlanJson;
    const event = functionUrlEvent('/api/changes', { userArn: ANN, body: { plan, reason: REASON } });
    const answer = await of.handler()(event, { getRemainingTimeInMillis: () => 0 });
    expect((json(answer) as StartedJson).ended).toMatchObject({
      ended: 'aborted',
      result: { done: 0, notSent: 3 },
    });
  });

  it('answers the overview as events, and says when to ask again', async () => {
    const { body, headers } = await ask(BOB, '/api/events');
    expect(headers).toMatchObject({ 'Content-Type': 'text/event-stream; charset=utf-8' });
    expect(body).toMatch(
      /^event: overview\ndata: \{.*"parked":\{"count":\d+,"kind":"exact"\}.*\n\nevent: ask-again\ndata: 10000\n\n$/s,
    );
  });

  it('exports what matches', async () => {
    const { ticket } = json(await ask(BOB, '/api/export', {})) as { ticket: string };
    const { body, headers } = await ask(
      BOB,
      `/api/export?format=csv&ticket=${ticket}&by=prefix&q=orders%23forgotten`,
    );
    expect(headers).toMatchObject({ 'Content-Disposition': expect.stringContaining('.csv') });
    expect(body.split('\r\n')[1]).toMatch(/^orders#forgotten,/);
  });

  it('shows the attempt of a claim from the log, where it may read one', async () => {
    await of.park('orders#logged');
    const searches: LogSearch[] = [];
    const readLog: ConsolePorts['readLog'] = async (search) => {
      searches.push(search);
      return [];
    };
    const event = functionUrlEvent('/api/waterfall?key=orders%23logged', { userArn: BOB });
    expect(json(await of.handler()(event))).toMatchObject({ source: 'claim' });
    expect(searches).toEqual([]);
    expect(json(await of.handler({ ports: { readLog } })(event))).toMatchObject({ source: 'claim' });
    expect(searches).toMatchObject([{ text: keyHash('orders#logged') }]);
  });

  it('finds the claim of an order id by the namespaces that it knows, without a scan', async () => {
    await of.park('refunds#v1:r-77');
    const { clients } = of.ports;
    const scans: unknown[] = [];
    const handler = of.handler({
      config: { namespaces: ['orders', 'refunds'] },
      ports: {
        clients: (credentials) => {
          const opened = clients(credentials);
          opened.dynamodb.middlewareStack.add(
            (next, { commandName }) =>
              (given) => {
                if (commandName === 'ScanCommand') scans.push(given.input);
                return next(given);
              },
            { step: 'initialize' },
          );
          return opened;
        },
      },
    });
    const found = json(await handler(functionUrlEvent('/api/claims?by=any&q=r-77', { userArn: BOB })));
    expect(found as ClaimsJson).toMatchObject({ isExact: true, claims: [{ key: 'refunds#v1:r-77' }] });
    expect(scans).toEqual([]);
  });

  it.each(['/api/sign-in', '/api/read', '/api/jobs/stop', '/api/nothing'])('has no %s', async (path) => {
    const body = path === '/api/jobs/stop' ? { job: 'x' } : path === '/api/sign-in' ? { token: 'x' } : {};
    expect((await ask(ANN, path, body)).statusCode).toBe(404);
  });
});

describe('a plan that the page sends back', () => {
  const plans = new CarriedPlans(
    { now: () => Date.now(), setTimer: () => () => undefined },
    (given) => given,
  );
  const claims = Array.from({ length: 1_000 }, (_, index) => {
    return { key: `k${index}`, status: 'PARKED', owner: `owner-${index}`, attempt: 1 };
  });

  it('is the plan, and short', () => {
    const plan = { operation: 'release', force: false, claims };
    const { id } = plans.keep(plan);
    expect([plans.get(id), id.length < 10_000]).toEqual([plan, true]);
  });

  it('is refused where it is longer than a load balancer passes on', () => {
    const long = claims.map((claim) => ({ ...claim, key: claim.key.padEnd(2_048, 'x') }));
    expect(() => plans.keep({ claims: long })).toThrow('Select fewer');
    const bomb = deflateRawSync(Buffer.alloc(50_000_000, ' ')).toString('base64url');
    expect(() => plans.get(bomb)).toThrow('Expected `plan`');
  });
});

describe('the queues of a console for a team', () => {
  const of = team(
    () => ({ kind: 'function-url', roles: ROLES }),
    () => 'http://127.0.0.1:9',
  );
  let service: QueuesOfTest;
  beforeAll(async () => {
    service = await startQueues();
  });
  afterAll(() => service.stop());

  function ask(
    userArn: string,
    path: string,
    body?: unknown,
    config: Partial<ConsoleConfig> = {},
  ): Promise<FunctionResponse> {
    const { clients } = of.ports;
    const handler = of.handler({
      config: {
        queues: [['orders', 'orders-dead-letters']],
        queuesUrl: service.queues[0]?.url.replace(/[^/]+$/, '') ?? '',
        ...config,
      },
      ports: {
        clients: (credentials) => ({
          ...clients(credentials),
          sqs: allowing(service.client(), credentials === undefined ? READS : CHANGES),
        }),
      },
    });
    return handler(functionUrlEvent(path, { userArn, ...(body !== undefined && { body }) }));
  }

  async function bodiesIn(name: string): Promise<readonly (string | undefined)[]> {
    const { url } = service.queues.find((queue) => queue.name === name) ?? {};
    const { Messages = [] } = await service.sqs.receiveMessage({ QueueUrl: url, MaxNumberOfMessages: 10 });
    return Messages.map(({ Body }) => Body);
  }

  it('are read by everybody, and redriven by the role operate, which the history of the claim says', async () => {
    const key = 'orders#redriven';
    await of.park(key);
    await service.sendParked([key]);
    const queue = 'orders-dead-letters';
    const { messages } = json(await ask(BOB, '/api/dead-letters/peek', { queue })) as PeekJson;
    expect(messages.map((message) => message.key)).toEqual([key]);
    const { messageId } = messages[0] ?? {};
    expect(json(await ask(BOB, '/api/dead-letters/body', { queue, messageId }))).toMatchObject({
      body: expect.stringContaining(key),
    });
    const plan = json(await ask(BOB, '/api/dead-letters/plan', { queue, which: 'all' })) as RedrivePlanJson;
    expect(plan).toMatchObject({ moved: 1, released: 1 });
    const { ended } = json(
      await ask(ANN, '/api/dead-letters/redrive', { plan: plan.plan, reason: REASON }),
    ) as StartedJson;
    expect(ended).toMatchObject({ what: 'redrive', ended: 'whole', result: { moved: 1, released: 1 } });
    const { claim, events } = json(
      await ask(BOB, `/api/claim?key=${encodeURIComponent(key)}`),
    ) as ClaimDetailJson;
    expect(claim.state).toBe('failed');
    const operator = 'ann (123456789012 OnCall)';
    expect(events.slice(-2)).toMatchObject([
      { kind: 'changed', operation: 'release', operator, reason: REASON },
      { kind: 'redriven', operator, reason: REASON },
    ]);
    await of.park(key);
    const again = json(await ask(BOB, `/api/claim?key=${encodeURIComponent(key)}`)) as ClaimDetailJson;
    expect(again.events.slice(-3).map(({ kind }) => kind)).toEqual(['redriven', 'claimed', 'parked']);
  });

  it('get no message where sending was not allowed', async () => {
    expect((json(await ask(ANN, '/api/session')) as Session).canSend).toBe(false);
    const answer = await ask(ANN, '/api/send/plan', { queue: 'orders', body: '{"orderId":"1"}' });
    expect([answer.statusCode, json(answer)]).toMatchObject([403, { error: { code: 'no-sending' } }]);
    expect(await bodiesIn('orders')).not.toContain('{"orderId":"1"}');
  });

  it('get a message of the role operate where sending was allowed, once for each plan', async () => {
    const allowed = { allowSending: true };
    const body = '{"orderId":"sent-1"}';
    expect((json(await ask(ANN, '/api/session', undefined, allowed)) as Session).canSend).toBe(true);
    expect((json(await ask(BOB, '/api/session', undefined, allowed)) as Session).canSend).toBe(false);
    const { plan } = json(
      await ask(BOB, '/api/send/plan', { queue: 'orders', body }, allowed),
    ) as SendPlanJson;
    const sending = { plan, reason: REASON };
    const answers = [
      await ask(BOB, '/api/send', sending, allowed),
      await ask(ANN, '/api/send', sending, allowed),
      await ask(ANN, '/api/send', sending, allowed),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 200, 409]);
    expect((await bodiesIn('orders')).filter((sent) => sent === body)).toHaveLength(1);
    const { actions } = json(await ask(BOB, '/api/actions')) as { actions: ActionJson[] };
    expect(actions[0]).toMatchObject({
      what: 'send',
      operator: 'ann (123456789012 OnCall)',
      reason: REASON,
      done: 1,
      ended: 'whole',
    });
  });

  it('get no message that is too long for a plan, which the error says of no claim', async () => {
    const body = 'x'.repeat(400_000);
    const answer = await ask(ANN, '/api/send/plan', { queue: 'orders', body }, { allowSending: true });
    expect([answer.statusCode, json(answer)]).toEqual([
      413,
      { error: { code: 'plan-too-long', message: expect.not.stringContaining('claims') } },
    ]);
  });

  it('redrive nothing if the action cannot be recorded', async () => {
    const queue = 'orders-dead-letters';
    await of.park('orders#unrecorded-redrive');
    await service.sendParked(['orders#unrecorded-redrive']);
    const body = { queue, which: 'all' };
    const { plan } = json(await ask(BOB, '/api/dead-letters/plan', body)) as RedrivePlanJson;
    const answer = await ask(
      ANN,
      '/api/dead-letters/redrive',
      { plan, reason: REASON },
      { actionsTableName: 'no-such-table' },
    );
    expect((json(answer) as StartedJson).ended).toMatchObject({ ended: 'failed' });
    const { messages } = json(await ask(BOB, '/api/dead-letters/peek', { queue })) as PeekJson;
    expect(messages.map(({ key }) => key)).toEqual(['orders#unrecorded-redrive']);
  });
});

describe('credentials for a change', () => {
  const settings = {
    region: 'eu-west-1',
    credentials: { accessKeyId: 'A', secretAccessKey: 'S', sessionToken: 'T' },
  };
  let asked: { readonly authorization: string; readonly body: URLSearchParams } | undefined;
  let answer: readonly [status: number, body: string] = [200, ''];
  const address = serveLocally(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked = { authorization: request.headers.authorization ?? '', body: new URLSearchParams(body) };
    response.writeHead(answer[0]).end(answer[1]);
  });
  const assume = (operator: string): ReturnType<typeof assumeRole> => {
    const roleArn = 'arn:aws:iam::123456789012:role/changes';
    return assumeRole({ roleArn, stsUrl: address() }, operator, settings);
  };

  it('are those of a role that is assumed in the name of the person', async () => {
    answer = [
      200,
      '<AssumeRoleResponse><Credentials><AccessKeyId>ASIA</AccessKeyId><SecretAccessKey>s/+=</SecretAccessKey>' +
        '<SessionToken>t</SessionToken></Credentials></AssumeRoleResponse>',
    ];
    expect(await assume('ann@example.com (u-ann)')).toEqual({
      accessKeyId: 'ASIA',
      secretAccessKey: 's/+=',
      sessionToken: 't',
    });
    expect(Object.fromEntries(asked?.body ?? [])).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: 'arn:aws:iam::123456789012:role/changes',
      RoleSessionName: 'ann@example.com-u-ann-',
      DurationSeconds: '900',
    });
    expect(asked?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=A\/\d{8}\/eu-west-1\/sts\//);
  });

  it('are missing where STS does not answer, which the error says', async () => {
    const roleArn = 'arn:aws:iam::123456789012:role/changes';
    const assumed = assumeRole({ roleArn, stsUrl: 'http://127.0.0.1:9/' }, 'ann', settings);
    await expect(assumed).rejects.toThrow(
      'STS does not answer at http://127.0.0.1:9, so nothing was changed.',
    );
  });

  it('are refused with the code of STS', async () => {
    answer = [403, '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>'];
    await expect(assume('ann')).rejects.toThrow(
      /^STS refuses the role arn:\S+ with 403 \(AccessDenied\): check its trust policy$/,
    );
  });
});
