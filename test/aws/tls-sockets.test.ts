import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { direct, getItem } from '../support/direct-transport.ts';
import { SELF_SIGNED } from '../support/self-signed.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"Item":{}}';
const ITEM = { Item: {} };

describe('Sockets over TLS', () => {
  const tls = process.getBuiltinModule('node:tls');
  const { connect } = tls;
  const servers: Server[] = [];
  beforeEach(() => {
    // The process trusts the server, as one with `NODE_EXTRA_CA_CERTS` would.
    tls.connect = ((options: object) => connect({ ...options, ca: SELF_SIGNED.cert })) as typeof connect;
  });
  afterEach(async () => {
    tls.connect = connect;
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  /** A server with one request for each connection. */
  function serverOf(onConnection?: (socket: TLSSocket) => void, options?: TlsOptions): Server {
    return createServer({ ...SELF_SIGNED, ...options }, (socket) => {
      onConnection?.(socket);
      socket.on('error', () => undefined);
      socket.on('data', () => socket.end(OK));
    });
  }

  async function listening(server: Server): Promise<string> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('know a server again', async () => {
    const resumed: boolean[] = [];
    const transport = direct(await listening(serverOf((socket) => resumed.push(socket.isSessionReused()))));
    for (let request = 0; request < 3; request += 1) expect(await getItem(transport)).toEqual(ITEM);
    expect(resumed).toEqual([false, true, true]);
  });

  it('do not offer a session again to a server that closed a connection because of it', async () => {
    const known = new Set<string>();
    const server = serverOf(undefined, {
      maxVersion: 'TLSv1.2',
      secureOptions: constants.SSL_OP_NO_TICKET, // the server keeps the sessions itself
    });
    server.on('newSession', (id: Buffer, _data: Buffer, done: () => void) => {
      known.add(id.toString('hex'));
      done();
    });
    server.on('resumeSession', (id: Buffer, done: (error: Error | null, data: null) => void) => {
      done(known.has(id.toString('hex')) ? new Error('The sessions cannot be read') : null, null);
    });
    const transport = direct(await listening(server));
    for (let request = 0; request < 3; request += 1) expect(await getItem(transport)).toEqual(ITEM);
  });

  it("are made unless `https.request` is no longer Node's own", async () => {
    const byNode = jest.spyOn(process.getBuiltinModule('node:http').ClientRequest.prototype, 'onSocket');
    const https = process.getBuiltinModule('node:https');
    const { request } = https;
    const endpoint = await listening(serverOf());
    try {
      await getItem(direct(endpoint));
      expect(byNode).toHaveBeenCalledTimes(0);
      https.request = ((options: object) => request(options)) as typeof request;
      await getItem(direct(endpoint));
      expect(byNode).toHaveBeenCalledTimes(1);
    } finally {
      https.request = request;
      byNode.mockRestore();
    }
  });
});
