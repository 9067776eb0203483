import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { systemClock } from '../../src/tool-base/clock.ts';
import { openLines } from '../../src/cli/lines/open-lines.ts';
import { outgoing } from '../../src/sending/outgoing.ts';
import { sendLines } from '../../src/cli/send/send-lines.ts';

it('Messages of a group keep their order where a rate holds back more of them than come later', async () => {
  const sent: string[] = [];
  const lines = (from: number, count: number): string =>
    Array.from({ length: count }, (_, index) => `{"id":${from + index}}\n`).join('');
  async function* slowly(): AsyncGenerator<string> {
    yield lines(0, 10);
    yield lines(10, 9); // on its way after 200 ms, and held back until 500
    await new Promise((resolve) => setTimeout(resolve, 240));
    yield lines(19, 1); // on its way after 440 ms, and its own share is there at 450
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await sendLines(
    { name: '-', size: undefined, chunks: slowly() },
    {
      messageOf: (line) => outgoing(line, { groupId: 'a' }, true),
      laneOf: ({ groupId = '' }) => groupId,
      concurrency: 2,
      rate: 20,
      clock: systemClock,
      signal: new AbortController().signal,
      send: async (messages) => {
        sent.push(...messages.map(({ body }) => body));
        return { sent: messages.length, refused: [], repeated: 0 };
      },
      onProgress: () => undefined,
    },
  );
  expect(sent).toEqual(Array.from({ length: 20 }, (_, id) => `{"id":${id}}`));
});

it('What cannot be opened is told before it is read', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lines-'));
  const socket = path.join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await expect(openLines(socket, { stdin: process.stdin })).rejects.toThrow('ENXIO');
  await expect(openLines(folder, { stdin: process.stdin })).rejects.toThrow('is a folder');
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});
