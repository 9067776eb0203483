import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import type { JobJson } from '../../src/console/api.ts';
import { EventStream } from '../../src/console/event-stream.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY } from './consoles.ts';

const LARGE = 'x'.repeat(200_000);

describe('the stream of events', () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  async function streaming(): Promise<{
    readonly stream: EventStream;
    readonly clock: ReturnType<typeof manualClock>;
    readonly counts: number[];
    /** A page; `reads` false: it takes nothing. */
    connectTo(reads: boolean): Promise<{ readonly socket: Socket; text(): string }>;
  }> {
    const clock = manualClock();
    const counts: number[] = [];
    const stream = new EventStream(clock, (count) => counts.push(count));
    const server: Server = createServer((_request, response) => stream.add(response, []));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => {
      stream.close();
      server.closeAllConnections();
      server.close();
    });
    return {
      stream,
      clock,
      counts,
      async connectTo(reads) {
        const size = stream.size;
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
        let text = '';
        socket.setEncoding('utf8');
        socket.on('error', () => undefined);
        if (reads) socket.on('data', (chunk: string) => (text += chunk));
        else socket.pause();
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        cleanups.push(() => socket.destroy());
        await until('it listens', () => stream.size > size);
        return { socket, text: () => text };
      },
    };
  }

  it('tells everybody who listens, and says how to come back', async () => {
    const { stream, connectTo, counts } = await streaming();
    const pages = [await connectTo(true), await connectTo(true)];
    stream.send('overview', { at: 1 });
    for (const page of pages) {
      await until('it is told', () => page.text().includes('event: overview\ndata: {"at":1}\n\n'));
      expect(page.text()).toContain('retry: 2000\n\n');
    }
    expect(counts).toEqual([1, 2]);
  });

  it('keeps what is newest, and no more, for a page that takes nothing', async () => {
    const { stream, connectTo } = await streaming();
    const page = await connectTo(false);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    for (let index = 0; index < 500; index += 1) await sendLarge(stream, index);
    expect(process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before).toBeLessThan(
      50_000_000,
    );
    expect(stream.size).toBe(1);
    let text = '';
    page.socket.on('data', (chunk: string) => (text += chunk));
    page.socket.resume();
    await until('the newest has come', () => text.includes('{"index":499'));
    expect([...text.matchAll(/"index":(\d+)/g)].length).toBeLessThan(50);
  });

  it('lets a page go that has more waiting than it may', async () => {
    const { stream, connectTo, counts } = await streaming();
    await connectTo(false);
    for (let index = 0; index < 400; index += 1) stream.send('job', { index, LARGE }, `job ${index}`);
    await until('it is gone', () => stream.size === 0);
    expect(counts).toEqual([1, 0]);
  });

  it('lets a page go that has taken nothing for half a minute, and keeps the others', async () => {
    const { stream, connectTo, clock } = await streaming();
    await connectTo(false);
    const other = await connectTo(true);
    for (let index = 0; index < 100; index += 1) await sendLarge(stream, index);
    await until('the other has it', () => other.text().includes('"index":99'));
    await clock.advance(50_000);
    await until('it is gone', () => stream.size === 1);
    await until('the other is told that somebody is here', () => other.text().includes(': here\n\n'));
  });

  it('forgets a page that is closed', async () => {
    const { stream, connectTo, counts } = await streaming();
    const { socket } = await connectTo(true);
    socket.destroy();
    await until('it is gone', () => stream.size === 0);
    stream.send('overview', {});
    expect(counts).toEqual([1, 0]);
  });

  it('refuses a page too many', async () => {
    const { stream, connectTo } = await streaming();
    for (let index = 0; index < 64; index += 1) await connectTo(true);
    expect(() => stream.add({} as never, [])).toThrow('64 pages');
  });
});

/** One after the other, so that what is between both ends fills. */
async function sendLarge(stream: EventStream, index: number): Promise<void> {
  stream.send('overview', { index, LARGE });
  await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('GET /api/events', () => {
  const open = consoles();

  it('ends with the console', async () => {
    const { listen, server } = await open(EMPTY);
    const page = listen();
    await page.until('overview', () => true);
    const never = page.until('nothing', () => true);
    await Promise.all([server.stop(), expect(never).rejects.toThrow('The events ended')]);
  });

  it('tells who comes later how jobs ended lately', async () => {
    const { post, get, listen } = await open(EMPTY);
    const { job } = await post<{ job: string }>('/api/read', {});
    await until('it has ended', async () => (await get<JobJson>(`/api/job?id=${job}`)).ended !== undefined);
    const page = listen();
    expect(await page.until<JobJson>('job', ({ id }) => id === job)).toMatchObject({
      what: 'read',
      ended: 'whole',
    });
    page.close();
  });

  it('tells at once how things stand', async () => {
    const { listen } = await open(EMPTY);
    const page = listen();
    expect(await page.until('overview', () => true)).toMatchObject({
      counts: { parked: { kind: 'unknown' } },
      jobs: [],
    });
    page.close();
  });
});
