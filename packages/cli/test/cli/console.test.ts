import { CreateQueueCommand, GetQueueAttributesCommand, SQS } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClaimsJson, Overview, Session } from '../../src/console/api.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { type ConsoleBrowser, openConsole } from '../../../../test/support/console-browser.ts';
import { until } from '../../../../test/support/until.ts';
import { claimsInPostgres } from './claims-in-postgres.ts';
import { claimsInStates, NOW } from './claims-in-states.ts';
import { type Ended, runCommand } from './run-command.ts';

describe('batchlatch console', () => {
  const claims = claimsInStates();
  let service: LocalService;
  let sqs: SQS;
  let stopping = new AbortController();
  let ended: Promise<Ended>;
  let shown = '';

  beforeAll(async () => {
    await claims.make('orders#1', 'parked');
    await claims.make('orders#2', 'overdue');
    service = await startSqsEmulator();
    sqs = new SQS({ ...emulatorClientConfig, endpoint: service.endpoint });
    const { QueueUrl: dead } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders-dead' }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
    );
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 3 });
    await sqs.send(new CreateQueueCommand({ QueueName: 'orders', Attributes: { RedrivePolicy } }));
  });
  afterEach(async () => {
    stopping.abort();
    await ended;
  });
  afterAll(async () => {
    sqs.destroy();
    await service.stop();
  });

  async function start(...args: readonly string[]): Promise<ConsoleBrowser> {
    stopping = new AbortController();
    shown = '';
    ended = runCommand(['console', '--table', 'claims', ...args], {
      signal: stopping.signal,
      now: () => NOW,
      onText: (text) => (shown += text),
      env: { AWS_ENDPOINT_URL_DYNAMODB: claims.endpoint, AWS_ENDPOINT_URL_SQS: service.endpoint },
    });
    await until(
      'it prints its address',
      () => /http:\S+token=[\w-]+/.test(shown) && shown.includes('Ctrl-C'),
    );
    const [url = ''] = /http:[^\s"]+token=[\w-]+/.exec(shown) ?? [];
    return openConsole(url);
  }

  it('shows an outbox beside the claims, by its table or by OUTBOX_TABLE_NAME', async () => {
    const browser = await start('--outbox', 'orders-outbox');
    expect(await browser.get<Session>('/api/session')).toMatchObject({
      place: 'table claims',
      outbox: 'outbox orders-outbox',
    });
    const unnamed = await runCommand(['console', '--table', 'claims', '--outbox'], {
      env: { AWS_ENDPOINT_URL_DYNAMODB: claims.endpoint },
    });
    expect([unnamed.status, unnamed.err]).toEqual([
      2,
      expect.stringContaining('No outbox table is named: add --outbox NAME, or set OUTBOX_TABLE_NAME.'),
    ]);
  });

  it('prints its address, shows the table, and ends with 0 by a signal', async () => {
    const browser = await start();
    expect(shown).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\nConsole of table claims, which only reads/,
    );
    expect(await browser.get<Session>('/api/session')).toMatchObject({
      place: 'table claims',
      operator: 'ann@laptop',
      allowChanges: false,
      readsBySelf: true,
      queues: [],
      indexedStates: ['in-progress', 'overdue', 'parked'],
    });
    const { claims: parked, readBy } = await browser.get<ClaimsJson>('/api/claims?state=parked');
    expect([readBy, parked.map(({ key }) => key)]).toEqual(['index', ['orders#1']]);
    stopping.abort();
    expect((await ended).status).toBe(0);
  });

  it('prints the address as JSON, and reads nothing by itself if told so', async () => {
    const browser = await start('--json', '--read-every', 'none', '--allow-changes', '--operator', 'pat');
    expect(JSON.parse(shown.split('\n')[0] ?? '')).toMatchObject({ type: 'ready', allowChanges: true });
    expect(await browser.get<Session>('/api/session')).toMatchObject({
      readsBySelf: false,
      allowChanges: true,
      operator: 'pat',
    });
  });

  it('finds the dead-letter queue of a queue, and tells one by the queues that have it', async () => {
    let browser = await start('--queue', 'orders');
    let { queues } = await browser.get<Session>('/api/session');
    const roles = (): unknown => queues.map(({ name, isDeadLetter }) => [name, isDeadLetter]);
    expect(roles()).toEqual([
      ['orders', false],
      ['orders-dead', true],
    ]);
    stopping.abort();
    await ended;
    browser = await start('--queue', 'orders-dead');
    ({ queues } = await browser.get<Session>('/api/session'));
    expect(roles()).toEqual([['orders-dead', true]]);
    stopping.abort();
    await ended;
    browser = await start('--dlq', 'orders');
    ({ queues } = await browser.get<Session>('/api/session'));
    expect(roles()).toEqual([['orders', true]]);
  });

  it('counts by the index of the table, and estimates the rest by its rows', async () => {
    const browser = await start('--read-every', 'none');
    const events = browser.listen();
    const overview = await events.until<Overview>('overview', ({ counts }) => counts.parked.count === 1);
    expect(overview.counts.overdue).toEqual({ count: 1, kind: 'exact' });
    expect(overview.counts.failed).toEqual({ count: null, kind: 'unknown' });
    events.close();
  });

  it('says each change on standard error', async () => {
    const browser = await start('--allow-changes');
    const { plan } = await browser.post<{ plan: string }>('/api/plan', {
      operation: 'park',
      filter: { by: 'key', q: 'orders#2' },
    });
    await browser.post('/api/changes', { plan, reason: 'look at it' });
    await until('it says so', () => shown.includes('1 of 1 claim parked by ann@laptop: "look at it"'));
  });

  it('refuses a port that is taken, and an address that is none of this machine', async () => {
    const browser = await start();
    const port = new URL(browser.url).port;
    const env = { AWS_ENDPOINT_URL_DYNAMODB: claims.endpoint };
    const taken = await runCommand(['console', '--table', 'claims', '--port', port], { env });
    expect(taken).toMatchObject({ status: 1, err: expect.stringContaining(`Port ${port} is in use`) });
    const foreign = await runCommand(['console', '--table', 'claims', '--host', '192.0.2.1'], { env });
    expect(foreign).toMatchObject({
      status: 1,
      err: expect.stringContaining('not an address of this machine'),
    });
  });
});

describe('batchlatch console on PostgreSQL', () => {
  const claims = claimsInPostgres();

  it('counts and lists by its index, failed claims too, and reads no row by itself', async () => {
    await claims.park('orders#1');
    const stopping = new AbortController();
    let shown = '';
    const ended = claims.run(['console', '--postgres', '--table', claims.table], {
      signal: stopping.signal,
      onText: (text) => (shown += text),
      env: { DATABASE_URL: claims.url },
    });
    await until('it prints its address', () => /http:\S+token=[\w-]+\s/.test(shown));
    const browser = await openConsole(/http:\S+/.exec(shown)?.[0] ?? '');
    expect(await browser.get<Session>('/api/session')).toMatchObject({
      place: `table ${claims.table}`,
      readsBySelf: false,
      indexedStates: ['in-progress', 'overdue', 'parked', 'failed'],
    });
    const page = browser.listen();
    const { counts } = await page.until<Overview>('overview', (one) => one.counts.failed.count !== null);
    expect(counts).toMatchObject({
      parked: { count: 1, kind: 'exact' },
      failed: { count: 0, kind: 'exact' },
      completed: { kind: 'unknown' },
    });
    page.close();
    stopping.abort();
    expect((await ended).status).toBe(0);
  });
});
