import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  type SQS,
} from '@aws-sdk/client-sqs';
import type { ClaimDetailJson, JobJson, Overview, PeekJson } from '../../src/console/api.ts';
import type {
  MessagesOfClaimJson,
  RedrivePlanJson,
  RedriveResultJson,
} from '../../src/console/redrive-api.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { type ClaimAdmin, type ClaimPage, type ClaimQuery, releaseClaim } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { posting } from '../../../../test/support/console-browser.ts';
import { type QueuesOfTest, startQueues } from '../../../../test/support/console-server.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY, type OpenConsole } from './consoles.ts';

const KEYS = Array.from({ length: 6 }, (_, index) => `orders#parked-000${index}`);
const QUEUE = 'orders-dead-letters';

describe('dead letters', () => {
  const open = consoles();
  let service: QueuesOfTest;
  beforeAll(async () => {
    service = await startQueues();
  });
  afterAll(() => service.stop());

  /** A console on the queues, with messages of parked claims and nothing else in them. */
  async function openWith(keys: readonly string[] = KEYS, options: object = {}): Promise<OpenConsole> {
    for (const { url } of service.queues) await service.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    await service.sendParked(keys);
    const { sqs, queues } = service;
    return open({ sqs, queues, ...options });
  }

  it('are shown beside their claims, without their bodies', async () => {
    const { ask, url } = await openWith();
    const { text } = await ask('/api/dead-letters/peek', posting(url, { queue: QUEUE }));
    const { messages, isWhole, total, stillHidden } = JSON.parse(text) as PeekJson;
    expect({ isWhole, total, stillHidden }).toEqual({ isWhole: true, total: 6, stillHidden: 0 });
    expect(messages.map(({ key, claims }) => [key, claims.map(({ state }) => state)])).toEqual(
      KEYS.map((key) => [key, ['parked']]),
    );
    expect(messages[0]).toMatchObject({
      sentBy: 'deadLetterQueue',
      error: { name: 'CardDeclined' },
      bodyLength: 50,
    });
    expect(text).not.toContain('<script>');
  });

  it('show a body when it is asked for, of what was looked at', async () => {
    const { post, ask, url } = await openWith(KEYS.slice(0, 1));
    const { messages } = await post<PeekJson>('/api/dead-letters/peek', { queue: QUEUE });
    const { messageId } = messages[0] ?? {};
    expect(await post('/api/dead-letters/body', { queue: QUEUE, messageId })).toEqual({
      body: '{"order":"orders#parked-0000","total":"0<script>"}',
    });
    const other = await ask('/api/dead-letters/body', posting(url, { queue: QUEUE, messageId: 'other' }));
    expect(other.status).toBe(404);
  });

  it.each([
    [{ queue: 'https://evil.example/queue' }, 404],
    [{}, 400],
    [{ queue: null }, 400],
    [{ queue: QUEUE, scan: 'yes' }, 400],
    [{ queue: 'orders' }, 400],
    [{ queue: QUEUE, limit: 0 }, 400],
    [{ queue: QUEUE, limit: 501 }, 400],
    [{ queue: QUEUE, limit: '1' }, 400],
  ])('are not looked at for %j', async (body, status) => {
    const { ask, url } = await openWith([]);
    const answer = await ask('/api/dead-letters/peek', posting(url, body));
    const code = status === 404 ? 'no-queue' : 'bad-request';
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(code)]);
  });

  it('are all seen by two who look at the same time', async () => {
    const { post } = await openWith();
    const peek = (): Promise<PeekJson> => post('/api/dead-letters/peek', { queue: QUEUE });
    const peeks = await Promise.all([peek(), peek()]);
    expect(peeks.map(({ messages }) => messages.length)).toEqual([6, 6]);
  });

  it('of unknown keys have one page of the table searched, and all of it only when asked', async () => {
    const pages: Readonly<Record<string, ClaimPage>> = {
      '': { claims: [], readBy: 'scan', rowsRead: 1_000, next: 'more' },
      more: { claims: [], readBy: 'scan', rowsRead: 500 },
    };
    const lists: ClaimQuery[] = [];
    const store = replaced(memoryStore(), {
      async list(query) {
        lists.push(query);
        return pages[query.cursor ?? ''] as ClaimPage;
      },
    }) as ClaimAdmin;
    const { post } = await openWith([], { ...EMPTY, store });
    await service.sqs.send(new SendMessageCommand({ QueueUrl: service.queues[1]?.url, MessageBody: '{}' }));
    const some = await post<PeekJson>('/api/dead-letters/peek', { queue: QUEUE });
    expect(some.messages).toMatchObject([{ claims: [] }]);
    expect(some.parkedRead).toEqual({ readBy: 'scan', rowsRead: 1_000, isWhole: false });
    expect(lists).toHaveLength(1);
    const all = await post<PeekJson>('/api/dead-letters/peek', { queue: QUEUE, scan: true });
    expect(all.parkedRead).toEqual({ readBy: 'scan', rowsRead: 1_500, isWhole: true });
  });

  it('are redriven, their claims released, with who and why', async () => {
    const console = await openWith();
    const plan = await console.post<RedrivePlanJson>('/api/dead-letters/plan', {
      queue: QUEUE,
      which: 'all',
    });
    expect(plan).toMatchObject({ moved: 6, released: 6, deleted: 0, left: {}, notFound: [] });
    const page = console.listen();
    const { job } = await console.post<{ job: string }>('/api/dead-letters/redrive', {
      plan: plan.plan,
      reason: 'fixed',
    });
    const ended = await page.until<JobJson>('job', ({ id, ended: how }) => id === job && how !== undefined);
    expect(ended).toMatchObject({ what: 'redrive', ended: 'whole', total: 6 });
    expect(ended.result as RedriveResultJson).toMatchObject({
      moved: 6,
      released: 6,
      left: {},
      undeleted: 0,
    });
    expect(await console.get('/api/actions')).toMatchObject({
      actions: [
        { what: 'redrive', asked: 6, done: 6, refused: 0, failed: 0, reason: 'fixed', ended: 'whole' },
      ],
    });
    expect(await console.server.store.read('orders#parked-0003')).toMatchObject({
      status: 'FAILED',
      history: [{ operation: 'release', operator: 'ann@laptop', reason: 'fixed' }],
    });
    expect(await waiting(service.sqs, service.queues[0]?.url)).toBe(6);
    const { queues } = await page.until<Overview>('overview', (one) => one.queues[0]?.waiting === 6);
    expect(queues).toMatchObject([
      { name: 'orders', waiting: 6, inFlight: 0 },
      { name: QUEUE, waiting: 0, isDeadLetter: true },
    ]);
    page.close();
  });

  it('are redriven as the plan has shown them, without those that came later', async () => {
    const console = await openWith(KEYS.slice(0, 2));
    const { plan } = await console.post<RedrivePlanJson>('/api/dead-letters/plan', {
      queue: QUEUE,
      which: 'all',
    });
    await service.sendParked(KEYS.slice(2, 3));
    const { job } = await console.post<{ job: string }>('/api/dead-letters/redrive', {
      plan,
      reason: 'fixed',
    });
    await until(
      'it has ended',
      async () => (await console.get<JobJson>(`/api/job?id=${job}`)).ended !== undefined,
    );
    expect(await console.get('/api/actions')).toMatchObject({ actions: [{ asked: 2, done: 2 }] });
    expect(await console.server.store.read(KEYS[2] ?? '')).toMatchObject({ status: 'PARKED' });
  });

  it('are redriven as they were selected, and left where their work is done', async () => {
    const console = await openWith(['orders#parked-0000', 'orders#o-0001', 'orders#in-progress-0001']);
    const { messages } = await console.post<PeekJson>('/api/dead-letters/peek', { queue: QUEUE });
    const plan = await console.post<RedrivePlanJson>('/api/dead-letters/plan', {
      queue: QUEUE,
      which: messages.map(({ messageId }) => messageId),
    });
    expect(plan).toMatchObject({ moved: 1, released: 1, left: { completed: 1, running: 1 } });
    const { job } = await console.post<{ job: string }>('/api/dead-letters/redrive', {
      plan: plan.plan,
      reason: 'fixed',
    });
    await until(
      'it has ended',
      async () => (await console.get<JobJson>(`/api/job?id=${job}`)).ended !== undefined,
    );
    expect(await console.get('/api/actions')).toMatchObject({ actions: [{ asked: 1, done: 1, refused: 2 }] });
    const again = await console.ask(
      '/api/dead-letters/redrive',
      posting(console.url, { plan: plan.plan, reason: 'fixed' }),
    );
    expect(again.status).toBe(409);
  });

  it('are not redriven where none would be moved', async () => {
    const console = await openWith([]);
    const { plan, moved } = await console.post<RedrivePlanJson>('/api/dead-letters/plan', {
      queue: QUEUE,
      which: 'all',
    });
    expect(moved).toBe(0);
    const { status, text } = await console.ask(
      '/api/dead-letters/redrive',
      posting(console.url, { plan, reason: 'fixed' }),
    );
    expect([status, text]).toEqual([409, expect.stringContaining('nothing-to-do')]);
  });

  it.each([
    [{ queue: QUEUE }],
    [{ queue: QUEUE, which: [] }],
    [{ queue: QUEUE, which: [1] }],
    [{ queue: QUEUE, which: 'some' }],
    [{ queue: QUEUE, which: 'all', completed: 'burn' }],
    [{ queue: 'orders', which: 'all' }],
  ])('are not planned for %j', async (body) => {
    const { ask, url } = await openWith([]);
    expect((await ask('/api/dead-letters/plan', posting(url, body))).status).toBe(400);
  });

  it('are found for a claim that a person released, which a peek by parked claims does not find', async () => {
    const [key = ''] = KEYS;
    const { post, server } = await openWith(KEYS.slice(0, 3));
    const claim = await server.store.read(key);
    if (claim === undefined) throw new Error('There is no claim');
    await releaseClaim(server.store, claim, { operator: 'ann', reason: 'fixed' });
    const { queues } = await post<MessagesOfClaimJson>('/api/dead-letters/of-claim', { key });
    expect(queues).toMatchObject([{ queue: QUEUE, looked: 3, isWhole: true, messages: [{ key }] }]);
    const other = { key: 'orders#o-0001' };
    expect(await post('/api/dead-letters/of-claim', other)).toMatchObject({
      queues: [{ queue: QUEUE, looked: 3, messages: [] }],
    });
  });

  it('say that their queue was deleted when somebody looks', async () => {
    const { sqs, queues } = service;
    const gone = { name: 'gone', url: `${queues[0]?.url}-gone`, isDeadLetter: true };
    const { ask, post, url } = await open({ ...EMPTY, sqs, queues: [gone] });
    const { status, text } = await ask('/api/dead-letters/peek', posting(url, { queue: 'gone' }));
    expect([status, text]).toEqual([410, expect.stringContaining('This queue was deleted')]);
    expect(await post('/api/dead-letters/of-claim', { key: 'k' })).toMatchObject({
      queues: [{ queue: 'gone', error: expect.stringContaining('This queue was deleted') }],
    });
  });

  it('tell a claim when SQS delivers its message again, by the settings of the source queue', async () => {
    const { get, listen } = await openWith([]);
    const page = listen();
    await page.until<Overview>('overview', (one) => one.queues.length > 0);
    page.close();
    const { claim, next } = await get<ClaimDetailJson>('/api/claim?key=invoices%23failed-0000');
    expect(next).toEqual({
      kind: 'delivery',
      text: 'Runs again when SQS delivers the message, which was due',
      at: new Date(Date.parse(claim.claimedAt ?? '') + 30_000).toISOString(),
      isEstimate: true,
    });
  });

  it('say of a queue that it was deleted, and of the others how they stand', async () => {
    const { sqs, queues } = service;
    const [first] = queues;
    const gone = { name: 'gone', url: `${first?.url}-gone`, isDeadLetter: false };
    const { listen } = await open({ ...EMPTY, sqs, queues: [gone, ...queues] });
    const page = listen();
    const { queues: facts } = await page.until<Overview>('overview', (one) => one.queues.length > 0);
    expect(facts).toEqual([
      { ...gone, isDeleted: true, error: 'This queue was deleted.' },
      expect.objectContaining({ waiting: expect.any(Number) }),
      expect.objectContaining({ waiting: expect.any(Number) }),
    ]);
    page.close();
  });

  it('show what CloudWatch says of queues, where it is asked', async () => {
    const { sqs, queues } = service;
    const queueMetrics = async (): Promise<
      ReadonlyMap<string, { oldestAgeMs: number; noisyGroups: number }>
    > => new Map([[queues[0]?.url ?? '', { oldestAgeMs: 90_000, noisyGroups: 2 }]]);
    const { listen } = await open({ ...EMPTY, sqs, queues, queueMetrics });
    const page = listen();
    const { queues: facts } = await page.until<Overview>('overview', (one) => one.queues.length > 0);
    expect(facts[0]).toMatchObject({ oldestAgeMs: 90_000, noisyGroups: 2 });
    page.close();
  });
});

async function waiting(sqs: SQS, QueueUrl: string | undefined): Promise<number> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return Number(Attributes?.ApproximateNumberOfMessages);
}
