import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { direct, getItem } from '../support/direct-transport.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"Item":{}}';

describe.each(['own', 'node'])('Connections of the client `%s`', (client) => {
  let server: Server;
  const sockets: Socket[] = [];
  afterEach(async () => {
    delete process.env['BATCHLATCH_HTTP'];
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('are not used again after the longest idle time', async () => {
    process.env['BATCHLATCH_HTTP'] = client;
    server = createServer((socket) => void sockets.push(socket.on('data', () => socket.write(OK))));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const transport = direct(`http://127.0.0.1:${port}`, { maxAttempts: 1 }, { idleMs: 400 });
    await getItem(transport);
    await getItem(transport);
    expect(sockets).toHaveLength(1);
    await delay(500);
    // As where a process was frozen meanwhile: nobody is behind the connection any more.
    sockets[0]?.removeAllListeners('data');
    await getItem(transport);
    expect(sockets).toHaveLength(2);
  });
});
