import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { freePort } from '../../../src/dev/emulators/free-port.ts';

describe('freePort', () => {
  it('gives no port that a program listens on, and none twice', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: taken } = server.address() as AddressInfo;
    const first = await freePort();
    const third = await freePort();
    const drawn = [taken, first, third + 1];
    try {
      expect(await freePort(() => drawn.shift() as number)).toBe(third + 1);
    } finally {
      server.close();
    }
  });

  it('gives none of those from which systems take one for a connection', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(ports.filter((port) => port < 20_000 || port >= 32_000)).toEqual([]);
    expect(new Set(ports).size).toBe(50);
  });
});
