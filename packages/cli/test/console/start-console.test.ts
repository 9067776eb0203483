import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { replaced } from '../../../../test/support/replaced.ts';
import type { ClaimAdmin } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { type ConsoleOptions } from '../../src/console/options.ts';
import { type Clock, systemClock } from '../../src/tool-base/clock.ts';
import { startConsole } from '../../src/console/start-console.ts';
import { askExactly, openConsole } from '../../../../test/support/console-browser.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY } from './consoles.ts';

const OPTIONS: ConsoleOptions = {
  store: memoryStore(),
  place: 'table claims',
  operator: 'ann',
  appFolder: '/nowhere',
  version: '1',
};

describe('startConsole', () => {
  const open = consoles();

  it.each([
    [{ store: {} }, 'startConsole: Expected `store` to be an admin of claims'],
    [{ port: -1 }, 'startConsole: Expected `port` to be an integer from 0 up'],
    [{ readEveryMs: 10 }, 'startConsole: Expected `readEveryMs` to be an integer from 500 up'],
    [{ indexedStates: ['x'] }, 'startConsole: Expected `indexedStates` to be a list of states'],
    [{ allowChange: true }, 'startConsole: Unknown option `allowChange`'],
    [{ operator: 'a\u001B[2J' }, 'startConsole: Expected `operator` to be 1 to 128 characters'],
  ])('refuses %j', async (wrong, message) => {
    await expect(startConsole({ ...OPTIONS, ...wrong } as ConsoleOptions)).rejects.toThrow(message);
  });

  it('stops while jobs run, after what they have sent, and starts none any more', async () => {
    let isReading = false;
    const store = replaced(memoryStore(), {
      list: (_query, options) =>
        new Promise((_resolve, reject) => {
          isReading = true;
          options?.signal?.addEventListener('abort', () => reject(new Error('given up')));
        }),
    }) as ClaimAdmin;
    const { post, server, url } = await open({ ...EMPTY, store });
    await post('/api/read', {});
    await until('it reads', () => isReading);
    await server.stop();
    await expect(askExactly(`${url}/`)).rejects.toThrow('ECONNREFUSED');
  });

  it('waits for a look at a queue to show its messages again', async () => {
    let shown = 0;
    let release = (): void => undefined;
    let isAsked = false;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sqs = {
      getQueueAttributes: async () => ({ Attributes: {} }),
      receiveMessage: async () => {
        isAsked = true;
        await held;
        return { Messages: [{ MessageId: 'm', ReceiptHandle: 'r', Body: '' }] };
      },
      changeMessageVisibilityBatch: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        shown += 1;
        return {};
      },
    };
    const queues = [{ name: 'dead', url: 'http://127.0.0.1/dead', isDeadLetter: true }];
    const { post, server } = await open({ ...EMPTY, sqs: sqs as never, queues });
    const peek = post('/api/dead-letters/peek', { queue: 'dead', limit: 1 }).catch(() => undefined);
    await until('the queue is looked at', () => isAsked);
    const stopping = server.stop();
    release();
    await stopping;
    expect(shown).toBe(1);
    await peek;
  });

  it('stops for good, though a page connects again while its last read ends', async () => {
    let end = (): void => undefined;
    let timers = 0;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const store = replaced(memoryStore(), {
      count: async () => {
        await ended;
        return { count: 0, readBy: 'scan', rowsRead: 0 };
      },
    }) as ClaimAdmin;
    const clock: Clock = {
      now: () => Date.now(),
      setTimer(callback, delayMs) {
        timers += 1;
        const cancel = systemClock.setTimer(callback, delayMs);
        return () => {
          timers -= 1;
          cancel();
        };
      },
    };
    const { server, session, url } = await open({ ...EMPTY, store, clock });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const listen = async (): Promise<number | undefined> => {
      const [response] = (await once(
        request(`${url}/api/events`, { agent, headers: session }).end(),
        'response',
      )) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    await listen();
    const stopping = server.stop();
    const again = await listen();
    end();
    await stopping;
    expect([again, timers]).toEqual([503, 0]);
    agent.destroy();
  });

  it('stops once, however often it is asked to', async () => {
    const { server } = await open(EMPTY);
    await Promise.all([server.stop(), server.stop()]);
  });

  it('rejects where it cannot listen', async () => {
    const { server } = await open(EMPTY);
    const port = Number(new URL(server.url).port);
    await expect(startConsole({ ...OPTIONS, port })).rejects.toThrow('EADDRINUSE');
  });

  it('listens on the address that it is told, and shows one that a browser can open', async () => {
    const running = await startConsole({ ...OPTIONS, host: '0.0.0.0' });
    try {
      expect(new URL(running.url).hostname).toBe('127.0.0.1');
      expect(await (await openConsole(running.url)).get('/api/session')).toMatchObject({ operator: 'ann' });
    } finally {
      await running.stop();
    }
  });

  it('runs one read at a time', async () => {
    const store = replaced(memoryStore(), {
      list: async () => ({ claims: [], readBy: 'scan', rowsRead: 1, next: 'more' }),
    }) as ClaimAdmin;
    const { post } = await open({ ...EMPTY, store });
    const reads = await Promise.all([post('/api/read', {}), post('/api/read', {})]);
    expect(reads[0]).toEqual(reads[1]);
  });

  it('stops a job that somebody stops', async () => {
    const store = replaced(memoryStore(), {
      list: async () => ({ claims: [], readBy: 'scan', rowsRead: 1, next: 'more' }),
    }) as ClaimAdmin;
    const { post, get, ask, url } = await open({ ...EMPTY, store });
    const { job } = await post<{ job: string }>('/api/read', {});
    await post('/api/jobs/stop', { job });
    await until(
      'it has ended',
      async () => (await get<{ ended?: string }>(`/api/job?id=${job}`)).ended === 'aborted',
    );
    const again = await ask('/api/jobs/stop', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ job }),
    });
    expect(again.status).toBe(404);
  });
});
