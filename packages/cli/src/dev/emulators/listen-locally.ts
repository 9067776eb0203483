import { once } from 'node:events';
import type { Server } from 'node:net';

/**
 * Listens on the loopback interface, and says on which port: the one that is given, or any that the system has left.
 * Rejects where the port is taken.
 */
export async function listenLocally(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
