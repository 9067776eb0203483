import { getEventListeners, once, setMaxListeners } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '../../../src/base/clock.ts';
import { boundedTransport } from '../../../src/stores/dynamodb/transport.ts';
import { toStoreError } from '../../../src/stores/dynamodb/failures.ts';
import { manualClock } from 'batchlatch/testing';
import { forever } from '../../batch/bench.ts';
import { direct, errorOf, getItem, hastyClock } from '../../support/direct-transport.ts';
import {
  faultyServer,
  hangsUp,
  refuses,
  resets,
  says,
  staysSilent,
  succeeds,
  writes,
} from '../../support/faulty-server.ts';
import { until } from '../../support/until.ts';

const inParallel = <Result>(count: number, run: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, run));

describe('A connection of the direct transport', () => {
  const server = faultyServer();
  const used = (): number[] => server.arrivals.map(({ connection }) => connection);

  it('is used again for later requests, also after refusals', async () => {
    const transport = direct(server.endpoint);
    server.answers(succeeds(), refuses('ValidationException'), says(403, '<html>'), succeeds());
    await getItem(transport);
    await errorOf(getItem(transport));
    await errorOf(getItem(transport));
    await getItem(transport);
    expect(new Set(used()).size).toBe(1);
  });

  it('is one of 50 at most', async () => {
    server.answers((response) => setTimeout(() => response.end('{}'), 20));
    await inParallel(
      120,
      (
        (transport) => () =>
          getItem(transport)
      )(direct(server.endpoint)),
    );
    expect(new Set(used()).size).toBe(50);
  });

  it.each([
    ['ended', hangsUp],
    ['was reset', resets],
  ])(
    'that %s before it was used again is replaced at once, and so are those idle beside it',
    async (_how, fault) => {
      const clock = hastyClock();
      const transport = direct(server.endpoint, { clock });
      server.answers((response) => setTimeout(() => response.end('{}'), 20));
      await inParallel(5, () => getItem(transport));
      server.answers(...Array<typeof fault>(6).fill(fault), succeeds());
      expect(await getItem(transport)).toHaveProperty('Item');
      expect(clock.delays).toEqual([]);
      expect(used()).toHaveLength(7);
      expect(used()[6]).toBeGreaterThan(Math.max(...used().slice(0, 6)));
    },
  );

  it('that the server closed while it was idle is not used', async () => {
    const transport = direct(server.endpoint);
    await getItem(transport);
    await server.closeIdle();
    await getItem(transport);
    expect(server.arrivals).toHaveLength(2);
    expect(new Set(used()).size).toBe(2);
  });

  it('counts the sending that it lost', async () => {
    const transport = direct(server.endpoint);
    server.answers(succeeds(), hangsUp, refuses('ConditionalCheckFailedException'));
    await getItem(transport);
    expect(await errorOf(getItem(transport))).toMatchObject({ $metadata: { attempts: 2 } });
  });

  it('without an answer is given up, and another one tried', async () => {
    server.answers(staysSilent, succeeds());
    expect(await getItem(direct(server.endpoint, {}, { silentMs: 60 }))).toHaveProperty('Item');
    expect(new Set(used()).size).toBe(2);
    server.answers(staysSilent);
    const error = await errorOf(getItem(direct(server.endpoint, {}, { silentMs: 60 })));
    expect(error).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT', $metadata: { attempts: 4 } });
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });

  it('that falls silent in the middle of an answer is given up too', async () => {
    server.answers((response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"Item":');
    }, succeeds());
    expect(await getItem(direct(server.endpoint, {}, { silentMs: 60 }))).toHaveProperty('Item');
  });

  it.each([undefined, 'node'])(
    'that others use first then has its whole time (BATCHLATCH_HTTP %s)',
    async (http) => {
      if (http !== undefined) process.env['BATCHLATCH_HTTP'] = http;
      try {
        const transport = direct(server.endpoint, {}, { sockets: 1, silentMs: 300, connectMs: 300 });
        server.answers((response) => setTimeout(() => response.end('{}'), 120));
        await inParallel(4, () => getItem(transport));
        expect(server.arrivals).toHaveLength(4);
      } finally {
        delete process.env['BATCHLATCH_HTTP'];
      }
    },
  );

  it('may take its time for an answer that goes on', async () => {
    server.answers((response) => {
      const parts = ['{"Item"', ':', '{}', ' ', ' ', '}'];
      const timer = setInterval(() => {
        response.write(parts.shift());
        if (parts.length > 0) return;
        response.end();
        clearInterval(timer);
      }, 30);
    });
    expect(await getItem(direct(server.endpoint, {}, { silentMs: 90 }))).toEqual({ Item: {} });
    expect(server.arrivals).toHaveLength(1);
  });

  it('that ends in the middle of an answer has the code of a reset', async () => {
    server.answers(writes('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{"Item":'));
    expect(await errorOf(getItem(direct(server.endpoint)))).toMatchObject({
      name: 'TimeoutError',
      code: 'ECONNRESET',
    });
  });

  it('stays open while it is idle for longer than an answer may take', async () => {
    const transport = direct(server.endpoint, {}, { silentMs: 60 });
    await getItem(transport);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await getItem(transport);
    expect(new Set(used()).size).toBe(1);
  });

  it('that nobody accepts is given up, and is an error that may pass', async () => {
    const gone = createServer();
    gone.listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const error = await errorOf(getItem(direct(`http://127.0.0.1:${port}`)));
    expect(error).toMatchObject({
      name: 'NetworkingError',
      code: 'ECONNREFUSED',
      message: expect.stringContaining('ECONNREFUSED'),
      $metadata: { attempts: 4 },
    });
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });

  it('that no address of a host accepts names one of them', async () => {
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    type Done = (error: null, found: typeof addresses) => void;
    const find = (_host: string, _options: object, done: Done): void => done(null, addresses);
    const lookup = jest.spyOn(process.getBuiltinModule('node:dns'), 'lookup');
    lookup.mockImplementation(find as never);
    const error = await errorOf(getItem(direct('http://two.invalid:1')));
    lookup.mockRestore();
    expect(error).toMatchObject({
      name: 'NetworkingError',
      code: 'ECONNREFUSED',
      message: 'connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  it('that is not established in time is given up', async () => {
    const { port, stop } = await neverAccepting();
    const queued = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const clock = hastyClock();
    const limits = { connectMs: 60, silentMs: 5_000 };
    const error = await errorOf(
      getItem(direct(`http://127.0.0.1:${port}`, { clock, maxAttempts: 2 }, limits)),
    );
    for (const socket of queued) socket.destroy();
    await stop();
    expect(error).toMatchObject({
      name: 'TimeoutError',
      code: 'ETIMEDOUT',
      message: expect.stringContaining('60 ms'),
    });
    expect(clock.delays).toHaveLength(1);
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });

  it('is not given up because the process itself stood still while it was made', async () => {
    const clock = hastyClock();
    const transport = direct(server.endpoint, { clock }, { connectMs: 60 });
    await new Promise((resolve) => setTimeout(resolve, 20)); // its code is loaded
    await new Promise((resolve) => setImmediate(resolve)); // timers come next, and before what has arrived
    const request = getItem(transport);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    const until = Date.now() + 200;
    while (Date.now() < until); // a handler that computes
    expect(await request).toHaveProperty('Item');
    expect(clock.delays).toEqual([]);
  });

  it('to a name that nobody knows is an error that may pass', async () => {
    const error = await errorOf(getItem(direct('http://nowhere.invalid', { maxAttempts: 2 })));
    expect(error).toMatchObject({
      name: 'NetworkingError',
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });
});

describe('A request of the direct transport that is given up', () => {
  const server = faultyServer();
  const givenUp = {
    code: 'BATCHLATCH_STORE_SILENT',
    isRetryable: true,
    message: 'DynamoDB had not answered when the invocation had to answer',
  };

  it('settles at once, and its connection is closed', async () => {
    let socket: Socket | undefined;
    server.answers((_response, theSocket) => (socket = theSocket), succeeds());
    const transport = direct(server.endpoint);
    const controller = new AbortController();
    const request = errorOf(getItem(transport, controller.signal));
    await until('the request is there', () => socket !== undefined);
    controller.abort();
    expect(await request).toMatchObject({ ...givenUp, $metadata: { attempts: 1 } });
    await until('the connection is closed', () => socket?.destroyed === true);
    await getItem(transport);
    expect(server.arrivals).toHaveLength(2);
    expect(server.arrivals[1]?.connection).not.toBe(server.arrivals[0]?.connection);
  });

  it('before it begins is not sent', async () => {
    expect(await errorOf(getItem(direct(server.endpoint), AbortSignal.abort()))).toMatchObject(givenUp);
    expect(server.arrivals).toEqual([]);
  });

  it('in the middle of its answer disturbs no other', async () => {
    let finish: (() => void) | undefined;
    server.answers((response) => {
      response.write('{"Item":');
      finish = () => response.end('{}}');
    }, succeeds());
    const transport = direct(server.endpoint);
    const controller = new AbortController();
    const request = errorOf(getItem(transport, controller.signal));
    await until('the answer begins', () => finish !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    finish?.();
    expect(await request).toMatchObject(givenUp);
    expect(await inParallel(3, () => getItem(transport))).toHaveLength(3);
  });

  it('after its answer changes nothing for the next on its connection', async () => {
    const transport = direct(server.endpoint);
    const controller = new AbortController();
    await getItem(transport, controller.signal);
    server.answers((response) => setTimeout(() => response.end('{}'), 50));
    const next = getItem(transport);
    await until('the next is there', () => server.arrivals.length === 2);
    controller.abort();
    expect(await next).toEqual({});
    expect(server.arrivals[1]?.connection).toBe(server.arrivals[0]?.connection);
  });

  it('leaves no listener with a signal that lives on', async () => {
    const { signal } = new AbortController();
    const transport = direct(server.endpoint);
    server.answers(succeeds(), refuses('ValidationException'), hangsUp, succeeds());
    for (let sent = 0; sent < 3; sent += 1) await getItem(transport, signal).catch(() => undefined);
    expect(server.arrivals).toHaveLength(4);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('makes room for the next of 50', async () => {
    server.answers(staysSilent);
    const transport = boundedTransport(direct(server.endpoint), systemClock);
    const controller = new AbortController();
    setMaxListeners(50, controller.signal);
    const silent = inParallel(50, () => errorOf(getItem(transport, controller.signal)));
    await until('all are there', () => server.arrivals.length === 50);
    const next = getItem(transport);
    server.answers(...Array<typeof staysSilent>(50).fill(staysSilent), succeeds());
    controller.abort();
    for (const error of await silent) expect(error).toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
    expect(await next).toHaveProperty('Item');
  });
});

describe('A request of the direct transport takes ten seconds at most', () => {
  const server = faultyServer();
  const late = {
    code: 'BATCHLATCH_STORE_SILENT',
    isRetryable: true,
    message: 'DynamoDB did not answer within 10 seconds: in a VPC, add an endpoint',
  };

  it('with its retries: it does not wait for one that would begin later', async () => {
    server.answers(refuses('ThrottlingException'));
    const clock = manualClock();
    const request = errorOf(getItem(direct(server.endpoint, { clock, random: () => 0.999, maxAttempts: 9 })));
    for (const [index, waitMs] of [999, 1_998, 3_996].entries()) {
      await until('it is sent', () => server.arrivals.length === index + 1);
      await new Promise((resolve) => setTimeout(resolve, 30)); // the answer is on its way
      await clock.advance(waitMs);
    }
    expect(await request).toMatchObject({
      ...late,
      $metadata: { attempts: 4 },
      cause: { name: 'ThrottlingException' },
    });
    expect(server.arrivals).toHaveLength(4);
  });

  it.each([
    ['body', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'],
    ['headers', 'HTTP/1.1 200 OK\r\nx-long: '],
  ])('also where the %s of an answer comes drop by drop', async (_what, begin) => {
    server.answers((_response, socket) => {
      socket.write(begin);
      const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(' ')), 5);
    });
    const limits = { silentMs: 60, requestMs: 300 };
    const begun = Date.now();
    const error = await errorOf(getItem(direct(server.endpoint, { clock: systemClock }, limits)));
    expect(Date.now() - begun).toBeLessThan(4_000); // the whole body: more than 5 s
    expect(toStoreError(error, 'claims').isRetryable).toBe(true);
  });

  it('also where whoever has the credentials is silent', async () => {
    const clock = manualClock();
    const transport = direct(server.endpoint, { clock, credentials: () => forever() });
    const request = errorOf(getItem(transport));
    await clock.advance(10_000);
    expect(await request).toMatchObject({ code: late.code, message: expect.stringContaining('credentials') });
    const controller = new AbortController();
    const next = errorOf(getItem(transport, controller.signal));
    controller.abort();
    expect(await next).toMatchObject({ code: late.code, $metadata: { attempts: 0 } });
    expect(server.arrivals).toEqual([]);
  });

  it('and is not held against DynamoDB where the process itself stood still', async () => {
    server.answers((response) => {
      response.end('{}');
      const until = Date.now() + 200;
      while (Date.now() < until); // a handler that computes
    });
    const transport = direct(server.endpoint, {}, { silentMs: 60 });
    expect(await getItem(transport)).toEqual({});
    expect(server.arrivals).toHaveLength(1);
  });
});

/** A port whose process does not come to accept what waits there: after a few connections, further ones get no answer. */
async function neverAccepting(): Promise<{ readonly port: number; stop(): Promise<unknown> }> {
  const program = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(program, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  return { port, stop: () => worker.terminate() };
}
