import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens on this loopback port, or a free one, and returns the port. Rejects if the port is in use. */
export async function listenLocally(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
