import { afterEach, describe, expect, test } from '@jest/globals';
import { type HealthServer, startHealthServer } from '../../src/worker/health.ts';
import type { WorkerHealth } from '../../src/worker/worker.ts';
import { askExactly } from '../support/console-browser.ts';

const COUNTERS = {
  received: 7,
  acknowledged: 5,
  failed: 1,
  deleted: 5,
  receivedAgain: 0,
  handedBack: 1,
  receiveErrors: 2,
};

let server: HealthServer;
afterEach(() => server.close());

async function serve(
  health: Partial<WorkerHealth> = {},
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  server = await startHealthServer({ port: 0 }, () => ({
    state: 'running',
    running: 2,
    waiting: 3,
    setAside: 2,
    limit: 50,
    down: [],
    pauseReason: undefined,
    dependencies: ['claim-store', 'payments'],
    counters: COUNTERS,
    failuresInARow: 0,
    isReached: true,
    storeSilentForMs: 0,
    ...health,
  }));
  return (path, init) => fetch(`${server.url}${path}`, init);
}

describe('the health of a worker', () => {
  test('is told on the loopback interface, as JSON', async () => {
    const get = await serve();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await get('/')).json()).toEqual({
      state: 'running',
      running: 2,
      waiting: 3,
      setAside: 2,
      limit: 50,
      down: [],
      ...COUNTERS,
      receiveErrorsInARow: 0,
    });
  });

  test('is answered with 500 if its function throws', async () => {
    server = await startHealthServer({ port: 0 }, () => {
      throw new Error('no worker yet');
    });
    const response = await fetch(`${server.url}/live`);
    expect([response.status, await response.json()]).toEqual([500, { error: 'The health function threw' }]);
  });

  test.each([
    [{}, 200, 200],
    [{ state: 'paused' }, 200, 503],
    [{ state: 'stopping' }, 200, 503],
    [{ failuresInARow: 3 }, 200, 503],
    [{ isReached: false }, 200, 503],
    [{ storeSilentForMs: 5_000 }, 200, 503],
    [{ storeSilentForMs: 4_999 }, 200, 200],
    [{ down: ['payments'] }, 200, 503],
    [{ state: 'stopped' }, 503, 503],
  ] as const)('%j: live %i, ready %i', async (health, live, ready) => {
    const get = await serve(health);
    expect((await get('/live')).status).toBe(live);
    expect((await get('/ready')).status).toBe(ready);
  });

  test('is what Prometheus reads', async () => {
    const get = await serve();
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toContain('version=0.0.4');
    const lines = (await response.text()).split('\n');
    expect(lines).toContain('batchlatch_worker_handed_back_total 1');
    expect(lines).toContain('# TYPE batchlatch_worker_received_total counter');
    expect(lines).toContain('batchlatch_worker_running 2');
    expect(lines).toContain('batchlatch_worker_ready 1');
  });

  test('shows what is down, why it is paused, and how many handlers may run', async () => {
    const get = await serve({ state: 'paused', down: ['payments'], pauseReason: 'A migration runs' });
    expect(await (await get('/')).json()).toMatchObject({
      down: ['payments'],
      pauseReason: 'A migration runs',
    });
    const lines = (await (await get('/metrics')).text()).split('\n');
    expect(lines).toContain('batchlatch_worker_dependency_down{dependency="payments"} 1');
    expect(lines).toContain('batchlatch_worker_dependency_down{dependency="claim-store"} 0');
    expect(lines).toContain('batchlatch_worker_paused 1');
    expect(lines).toContain('batchlatch_worker_concurrency_limit 50');
    expect(lines).toContain('batchlatch_worker_set_aside 2');
  });

  test('is asked for by GET and HEAD, at four places', async () => {
    const get = await serve();
    expect((await get('/', { method: 'POST' })).status).toBe(405);
    expect((await get('/secrets')).status).toBe(404);
    const head = await get('/live', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['an image of another page', { 'sec-fetch-site': 'cross-site' }],
    ['a page whose name resolves here', { host: 'evil.example' }],
  ])('is not told to %s', async (_what, headers) => {
    await serve();
    const { status, headers: answered, text } = await askExactly(`${server.url}/metrics`, { headers });
    expect([status, answered['access-control-allow-origin'], text.includes('batchlatch')]).toEqual([
      403,
      undefined,
      false,
    ]);
  });
});
