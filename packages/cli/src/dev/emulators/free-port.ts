import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hasCode } from '../../tool-base/errors.ts';

/**
 * Below the ports that systems choose themselves, for connections and for servers that ask for any (Linux: from 32768 on; macOS and
 * Windows: from 49152 on, by IANA's list). From among those, a connection of another process would take it before its service does.
 */
const FIRST = 20_000;
const BEHIND = 32_000;

/** Ports handed out by this process: their services may not have bound them yet. */
const handedOut = new Set<number>();

/**
 * A port of the loopback interface that no program listens on.
 *
 * Between this answer and the moment a service binds the port, another process may take it, if it draws the same one; the service
 * then ends with "address in use". A server inside this process should listen on port 0 instead.
 */
export async function freePort(draw: () => number = randomPort): Promise<number> {
  for (;;) {
    const port = draw();
    if (handedOut.has(port)) continue;
    handedOut.add(port); // before anything else of this process draws
    if (await isUnused(port)) return port;
  }
}

export function randomPort(): number {
  return randomInt(FIRST, BEHIND);
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
