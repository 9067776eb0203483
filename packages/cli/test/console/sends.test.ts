import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActionJson, Session } from '../../src/console/api.ts';
import type { SendPlanJson, SentJson } from '../../src/console/send/send-api.ts';
import { messageSender } from '../../src/sending/message-sender.ts';
import type { MessageSender } from '../../src/console/send/message-sender.ts';
import { makeClaim } from '../../../../test/support/console-claims.ts';
import { posting } from '../../../../test/support/console-browser.ts';
import { type QueuesOfTest, startQueues } from '../../../../test/support/console-server.ts';
import { payloadHash } from 'batchlatch/core';
import { processorKey } from 'batchlatch/operations';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY, type OpenConsole } from './consoles.ts';

const QUEUE = 'orders';
const keyOf = (body: string): string | undefined => /"orderId":"(.+)"/.exec(body)?.[1];

describe('sending a message from the console', () => {
  const open = consoles();
  let service: QueuesOfTest;
  beforeAll(async () => {
    service = await startQueues();
  });
  afterAll(() => service.stop());
  afterEach(async () => {
    await service.sqs.purgeQueue({ QueueUrl: service.queues[0]?.url });
  });

  async function openWith(options: object = {}): Promise<OpenConsole> {
    const { sqs, queues } = service;
    const sender = messageSender(sqs, async () => undefined);
    const key = ({ body }: { readonly body: string }): string | undefined => keyOf(body);
    return open({ ...EMPTY, sqs, queues, sender, key, ...options });
  }

  async function bodies(): Promise<(string | undefined)[]> {
    const { Messages = [] } = await service.sqs.receiveMessage({
      QueueUrl: service.queues[0]?.url,
      MaxNumberOfMessages: 10,
    });
    return Messages.map(({ Body }) => Body);
  }

  const plan = (console: OpenConsole, more: object): Promise<SendPlanJson> =>
    console.post('/api/send/plan', { queue: QUEUE, body: '{"orderId":"o-1"}', ...more });

  it('tells what the message would meet, and sends it once', async () => {
    const console = await openWith();
    const planned = await plan(console, {});
    expect(planned).toMatchObject({ key: 'o-1', effect: 'runs', releases: false });
    expect(await console.post<SentJson>('/api/send', { plan: planned.plan, reason: 'asked by pat' })).toEqual(
      {
        mayBeTwice: false,
      },
    );
    expect(await bodies()).toEqual(['{"orderId":"o-1"}']);
    const { actions } = await console.get<{ actions: ActionJson[] }>('/api/actions');
    expect(actions).toMatchObject([
      { what: 'send', reason: 'asked by pat', asked: 1, done: 1, ended: 'whole' },
    ]);
    const again = posting(console.url, { plan: planned.plan, reason: 'again' });
    expect((await console.ask('/api/send', again)).status).not.toBe(200);
    expect(await bodies()).toEqual([]);
  });

  it('asks for a queue where the console was started without any', async () => {
    const console = await open(EMPTY);
    const answer = await console.ask(
      '/api/send/plan',
      posting(console.url, { queue: QUEUE, body: '{"orderId":"o-1"}' }),
    );
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('Add --queue.');
  });

  it.each([
    ['completed', 'duplicate'],
    ['parked', 'parked'],
    ['in-progress', 'conflict'],
    ['failed', 'runs'],
  ] as const)('says that a claim that is %s makes it a %s', async (state, effect) => {
    const console = await openWith();
    const { store, clock } = console.server;
    await makeClaim(store, clock, 'o-1', state, { ageMs: 60_000 });
    expect(await plan(console, {})).toMatchObject({ effect, claim: { key: 'o-1', state } });
  });

  it('releases a completed claim first, where somebody wants the work done again', async () => {
    const console = await openWith();
    const { store, clock } = console.server;
    await makeClaim(store, clock, 'o-1', 'completed', { ageMs: 60_000 });
    const planned = await plan(console, { release: true });
    expect(planned).toMatchObject({ effect: 'runs', releases: true });
    await console.post('/api/send', { plan: planned.plan, reason: 'charge again' });
    expect(await store.inspect('o-1')).toMatchObject({
      status: 'FAILED',
      history: [{ operation: 'release', reason: 'charge again' }],
    });
    expect(await bodies()).toHaveLength(1);
  });

  it('sends nothing where the claim has changed since', async () => {
    const console = await openWith();
    const { store, clock } = console.server;
    await makeClaim(store, clock, 'o-1', 'parked', { ageMs: 60_000 });
    const planned = await plan(console, { release: true });
    const claim = await store.inspect('o-1');
    const { plan: id } = await console.post<{ plan: string }>('/api/plan', {
      operation: 'resolve',
      claims: [{ key: 'o-1', status: 'PARKED', owner: claim?.owner, attempt: 1 }],
    });
    await console.post('/api/changes', { plan: id, reason: 'charged by hand' });
    await until('it is resolved', async () => (await store.inspect('o-1'))?.status === 'COMPLETED');
    const sent = await console.ask(
      '/api/send',
      posting(console.url, { plan: planned.plan, reason: 'again' }),
    );
    expect([sent.status, sent.text]).toEqual([409, expect.stringContaining('Nothing was sent')]);
    expect(await bodies()).toEqual([]);
  });

  it.each([undefined, processorKey({ namespace: 'orders' })])(
    'does not know what a message meets where keys do not come from bodies',
    async (key) => {
      const console = await openWith({ key });
      const planned = await plan(console, {});
      expect(planned).toMatchObject({ effect: 'unknown' });
      expect(planned).not.toHaveProperty('key');
    },
  );

  it('derives keys as the processor does', async () => {
    const console = await openWith({ key: processorKey({ namespace: 'n', key: payloadHash() }) });
    const [one, other] = await Promise.all(
      ['{"a":1, "b":2}', '{"b":2,"a":1}'].map((body) => plan(console, { body })),
    );
    expect(one?.key).toMatch(/^n#v1:[0-9a-f]{64}$/);
    expect(other?.key).toBe(one?.key);
  });

  it.each([
    [{ queue: 'orders-dead-letters' }, 400],
    [{ queue: 'http://127.0.0.1:1/evil' }, 404],
    [{ body: '' }, 400],
    [{ body: '\u0000' }, 400],
    [{ groupId: 'a b' }, 400],
    [{ dedupId: 'x' }, 400],
    [{ delay: 5 }, 400],
  ])('refuses %j', async (more, status) => {
    const console = await openWith();
    const body = { queue: QUEUE, body: '{}', ...more };
    expect((await console.ask('/api/send/plan', posting(console.url, body))).status).toBe(status);
  });

  it('is refused by a console that only reads', async () => {
    const console = await openWith({ allowChanges: false });
    expect(await console.get<Session>('/api/session')).toMatchObject({ canSend: false });
    const { plan: id } = await plan(console, {});
    const sent = await console.ask('/api/send', posting(console.url, { plan: id, reason: 'x' }));
    expect(sent.status).toBe(403);
    expect(await bodies()).toEqual([]);
  });

  it('is not offered where no queue is known', async () => {
    const { get } = await open({ ...EMPTY });
    expect(await get<Session>('/api/session')).toMatchObject({ canSend: false });
  });

  it('keeps in its log that SQS refused', async () => {
    const sender: MessageSender = {
      problemOf: () => undefined,
      send: async () => Promise.reject(new Error('AccessDenied')),
    };
    const console = await openWith({ sender });
    const { plan: id } = await plan(console, {});
    const sent = await console.ask('/api/send', posting(console.url, { plan: id, reason: 'x' }));
    expect([sent.status, sent.text]).toEqual([500, expect.stringContaining('AccessDenied')]);
    const { actions } = await console.get<{ actions: ActionJson[] }>('/api/actions');
    expect(actions).toMatchObject([{ what: 'send', done: 0, failed: 1, ended: 'failed' }]);
  });
});
