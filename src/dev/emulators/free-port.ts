import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports handed out by this process: the system may offer a port again before its service has bound it. */
const handedOut = new Set<number>();

/**
 * A port of the loopback interface that no program listens on.
 *
 * Between this answer and the moment a service binds the port, another process may take it; the service then
 * ends with "address in use". A server inside this process should listen on port 0 instead.
 */
export async function freePort(): Promise<number> {
  let port: number;
  do port = await unusedPort();
  while (handedOut.has(port));
  handedOut.add(port);
  return port;
}

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
